"""The whole pipeline: every language, every odd question, and answers that belong together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muniment.engines.embed import Embedder
from muniment.errors import InvalidInput
from muniment.model.recalling import QUERY_LENGTH_MAX
from tests.makers import HashedWords, Memory

# Five statements each, and a question in the words of one of them.
LANGUAGES = {
    "english": (
        [
            "The yellow crane was repaired in spring.",
            "Our pilot drinks coffee.",
            "The nets hang in the shed.",
            "Fog came in.",
            "The gate is locked.",
        ],
        "Where are the nets hanging?",
        2,
    ),
    "chinese": (
        ["黄色的起重机春天修好了。", "我们的引航员爱喝咖啡。", "渔网挂在仓库里。", "早上起了大雾。", "大门锁上了。"],
        "渔网挂在哪里？",
        2,
    ),
    "japanese": (
        [
            "黄色いクレーンは春に修理された。",
            "水先案内人はコーヒーが好きだ。",
            "漁網は倉庫に掛けてある。",
            "朝は霧が深かった。",
            "門には鍵がかかっている。",
        ],
        "漁網はどこに掛けてありますか？",
        2,
    ),
    "korean": (
        [
            "노란 크레인은 봄에 수리되었다.",
            "도선사는 커피를 좋아한다.",
            "그물은 창고에 걸려 있다.",
            "아침에 안개가 짙었다.",
            "대문은 잠겨 있다.",
        ],
        "그물은 어디에 걸려 있나요?",
        2,
    ),
    "german": (
        [
            "Der gelbe Kran wurde im Frühjahr repariert.",
            "Unser Lotse trinkt Kaffee.",
            "Die Netze hängen im Schuppen.",
            "Nebel zog auf.",
            "Das Tor ist zu.",
        ],
        "Wo hängen die Netze?",
        2,
    ),
    "russian": (
        ["Жёлтый кран починили весной.", "Наш лоцман пьёт кофе.", "Сети висят в сарае.", "Утром был туман.", "Ворота заперты."],
        "Где висят сети?",
        2,
    ),
    "arabic": (
        [
            "أصلحنا الرافعة الصفراء في الربيع.",
            "المرشد يحب القهوة.",
            "الشباك معلقة في المخزن.",
            "كان الضباب كثيفا صباحا.",
            "البوابة مغلقة.",
        ],
        "أين الشباك معلقة؟",
        2,
    ),
    "hindi": (
        ["पीली क्रेन वसंत में ठीक हुई।", "हमारा पायलट कॉफी पीता है।", "जाल गोदाम में टँगे हैं।", "सुबह घना कोहरा था।", "फाटक बंद है।"],
        "जाल कहाँ टँगे हैं?",
        2,
    ),
    "thai": (
        ["เครนสีเหลืองซ่อมเสร็จในฤดูใบไม้ผลิ", "นักนำร่องชอบดื่มกาแฟ", "อวนแขวนอยู่ในโรงเก็บของ", "ตอนเช้าหมอกหนามาก", "ประตูปิดแล้ว"],
        "อวนแขวนอยู่ที่ไหน",
        2,
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_in_a_statements_own_words_finds_it_first(memory: Memory, language: str) -> None:
    texts, query, place = LANGUAGES[language]
    memory.say("talk", *(f"Ann: {text}" for text in texts))
    for number, text in enumerate(texts):
        memory.keep(f"{text} ({number})")
    answer = memory.ask(query)
    assert not answer.abstained
    assert answer.results[0].text.startswith(texts[place])
    assert "lexical" in answer.results[0].matched_by


ODD_TEXTS = {
    "C++": "The crane software is written in C++ mostly.",
    "ADR-016": "See ADR-016 for the berth rules.",
    "don't": "We don't open on Sundays.",
    "a/b_c.py": "The fault is in a/b_c.py near the top.",
    "NOT": "The sign says NOT in red.",
    "100%": "The tank was 100% full.",
}


@pytest.mark.parametrize("word", ODD_TEXTS)
def test_signs_are_ordinary_text(memory: Memory, word: str) -> None:
    for text in ODD_TEXTS.values():
        memory.keep(text)
    assert memory.found(f"What about {word}?" if word != "NOT" else "What about the sign NOT in red?")[0] == ODD_TEXTS[word]


@pytest.mark.parametrize(
    "query",
    [
        "C++",
        "ADR-016",
        "don't",
        "a/b_c.py",
        "NOT",
        "NOT AND OR NEAR(",
        'an "unbalanced quote',
        "it's 'half",
        "%",
        "_",
        "100%",
        "*",
        "(",
        "^crane",
        "crane:",
        "the of and is",
        "what is it?",
        "😀",
        "👩‍👩‍👧🏽",
        "?!…",
        "。",
        "\u200b",
        "\u202e",
        "a",
        "x" * QUERY_LENGTH_MAX,
        ("crane fog gate " * 1000)[:QUERY_LENGTH_MAX],
        "港" * QUERY_LENGTH_MAX,
        "'; DROP TABLE record; --",
        "crane\ncrane\tcrane\r\n",
        "{{7*7}} ${HOME} %(x)s %s :piece",
    ],
)
def test_no_question_is_an_error(memory: Memory, query: str) -> None:
    memory.say("a", "Ann: The crane is yellow.", "Bob: What is it? 😀")
    memory.keep("The fog came in.")
    for format in ("json", "text"):
        answer = memory.ask(query, format=format, trace=True, around=1)  # type: ignore[arg-type]
        assert answer.abstained == (not answer.results)


@pytest.mark.parametrize("query", ["😀", "?!…", "the of and is", "NOT", "x"])
def test_no_question_is_an_error_with_meaning(memory: Memory, meaning: Embedder, query: str) -> None:
    memory = memory.embed_with(meaning)
    memory.say("a", "Ann: The crane is yellow.", "Bob: 😀", "Ann: ???")
    memory.work()
    answer = memory.ask(query)
    assert all(0 <= one.score <= 1 for one in (*answer.results, *answer.nearest))


def test_meaning_finds_what_shares_no_word(memory: Memory, meaning: Embedder) -> None:
    memory = memory.embed_with(meaning)
    texts = ["My dog is afraid of thunder.", "The crane is yellow.", "We decided to use PostgreSQL.", "Tom likes black coffee."]
    memory.say("talk", *(f"Ann: {text}" for text in texts))
    memory.work()
    answer = memory.ask("Which pet is scared during a storm?")
    assert answer.results[0].text == texts[0]
    assert answer.results[0].matched_by == ("dense",)


def test_it_is_said_when_passages_wait_for_their_vectors(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.keep("The crane is yellow.")
    memory.work()
    assert memory.ask("crane").meta.degraded == ()
    memory.keep("The fog came in.")
    memory.keep("The gate is locked.")
    assert memory.ask("crane").meta.degraded == ("dense: 2 of 3 passages have no vector yet",)
    memory.work()
    assert memory.ask("crane").meta.degraded == ()


def test_without_an_embedder_the_answer_says_so(memory: Memory) -> None:
    memory.keep("The crane is yellow.")
    answer = memory.ask("crane")
    assert (answer.meta.mode, answer.meta.degraded) == ("words", ("dense: switched off by the test",))


def test_a_trace_shows_the_run_that_gave_the_answer(memory: Memory) -> None:
    memory = memory.embed_with(HashedWords())
    memory.say("a", *(f"Ann: The crane number {n} is at quay {n * 3}." for n in range(12)), time="2024-03-01")
    memory.work()
    plain = memory.ask("Which crane was at quay 9 in March 2024?", limit=5)
    traced = memory.ask("Which crane was at quay 9 in March 2024?", limit=5, trace=True)
    assert (traced.results, traced.route) == (plain.results, plain.route)
    assert plain.trace is None
    trace = traced.trace
    assert trace is not None
    assert [one.ref[2:] for one in traced.results] == trace["order"][:5]
    assert [one["view"] for one in trace["views"]] == list(traced.route)
    scores = {one["record"]: one["score"] for one in trace["candidates"]}
    assert [one.score for one in traced.results] == [
        pytest.approx(scores[(one.provenance.turn or 0)], abs=1e-4) for one in traced.results
    ]


def test_the_best_come_first_and_roles_follow(memory: Memory) -> None:
    memory.say("a", *(f"Ann: The crane number {n} is yellow." for n in range(9)), "Bob: The fog.", "Bob: The crane.")
    answer = memory.ask("Which crane is number 4?", limit=10, diversity=1.0)
    scores = [one.score for one in answer.results]
    assert scores == sorted(scores, reverse=True)
    assert answer.results[0].role == "primary"
    assert answer.results[0].text == "The crane number 4 is yellow."


def test_low_scores_are_left_out_when_asked(memory: Memory) -> None:
    memory.say("a", *(f"Ann: The crane number {n} is yellow." for n in range(9)))
    every = memory.ask("Which crane is number 4?", limit=20)
    edge = every.results[0].score
    some = memory.ask("Which crane is number 4?", limit=20, min_score=edge)
    assert {one.ref for one in some.results} == {one.ref for one in every.results if one.score >= edge}
    assert memory.ask("Which crane is number 4?", min_score=1.0).results == ()


def test_turns_beside_a_hit_change_nothing_in_the_order(memory: Memory) -> None:
    memory.say("a", *(f"Ann: The crane number {n}." if n % 4 == 0 else f"Bob: Yes {n}." for n in range(40)))
    plain = memory.ask("Which crane?", limit=6)
    beside = memory.ask("Which crane?", limit=6, around=10)
    assert [replace(one, before=(), after=()) for one in beside.results] == list(plain.results)
    shown = [turn.ref for one in beside.results for turn in (*one.before, *one.after)]
    assert len(shown) == len(set(shown))
    assert not set(shown) & {one.ref for one in beside.results}
    assert len(shown) <= 40


def test_a_running_total_of_neighbours_keeps_the_nearest(memory: Memory) -> None:
    for number in range(6):
        memory.say(
            f"s{number}",
            *(f"Bob: chatter {number} {n}" for n in range(10)),
            f"Ann: The crane {number}.",
            *(f"Bob: more {number} {n}" for n in range(10)),
        )
    answer = memory.ask("crane", limit=6, around=10)
    counts = [len(one.before) + len(one.after) for one in answer.results]
    assert sum(counts) == 40
    assert counts[:2] == [20, 20]


def test_a_relative_time_counts_from_the_newest_turn(memory: Memory) -> None:
    memory.say("old", "Ann: We launched the boat.", time="2024-03-02T10:00:00Z")
    memory.say("new", "Ann: We talked about the weather.", time="2024-03-12T10:00:00Z")
    memory.keep("The pier opens in 2090.", event_time="2090-01-01")
    answer = memory.ask("What did we do ten days ago?")
    assert "time" in answer.route
    assert answer.results[0].provenance.session == "old"
    assert memory.ask("What did we do yesterday?", as_of="2024-03-03T10:00:00Z").results[0].provenance.session == "old"


def test_a_cursor_belongs_to_browsing(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        memory.ask("crane", cursor="abc")
