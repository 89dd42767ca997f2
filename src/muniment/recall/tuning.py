"""Every number that ranks, with the run that chose it. Changing one without a run is a defect.

`bench/RESULTS.md`, run "weights", has the fit and what each cue is worth; `docs/decisions/ranking.md` what was left out.
"""

from __future__ import annotations

# How many candidates a view may nominate. The pools of LoCoMo then hold 95 of 100 evidence turns, in 159 rows a question.
VIEW_MOST = 100
# A pool smaller than this says too little about what is usual; it is filled up with what passages usually score.
POOL_LEAST = 30
USUAL_COSINES = (0.0, 0.05, 0.10, 0.20)

# Weights of the fused score, one table with vectors and one without. Fitted by a listwise softmax loss over the pools of
# whole data sets together, conversations left out in turn (run "weights"); z-scored cues first, then shares and flags.
WEIGHTS = {
    "lexical": 0.44,
    "dense": 0.74,
    "dense_near": 0.42,
    "cover": 2.61,
    "own": 1.50,
    "about": 5.00,
    "speaker": 1.94,
    "date": 4.03,
    "when": 1.47,
    "number": 2.50,
    "name": 2.00,
    "question": -3.14,
    "length": 1.05,
    "timed": 0.31,
    "named": 0.72,
    "substring": 2.00,
    "entity": 0.00,
    "phrase": 3.00,
    "recent": 1.00,
}
WEIGHTS_OF_WORDS = WEIGHTS | {
    "lexical": 0.83,
    "cover": 2.35,
    "speaker": 1.98,
    "date": 4.23,
    "when": 1.45,
    "question": -1.79,
    "length": 0.73,
    "timed": 0.13,
    "named": 0.53,
}
# What the cosine of a neighbour counts 1 and 2 turns away.
SMOOTH_BEFORE = (0.0, 0.40, 0.20)
SMOOTH_AFTER = (0.0, 0.25, 0.15)
LENGTH_WORDS_MAX = 60
# What a turn among named people usually is. Cues that only such turns have are counted from here, so that a kept statement
# beside them is neither favoured nor put back.
USUAL_LENGTH = 3.1
USUAL_QUESTION = 0.25
USUAL_TIMED = 0.3
USUAL_NAMED = 0.8

# Recency as a tie-break: half its worth is gone after this many days before the newest turn.
RECENT_HALF_DAYS = 30.0
RECENT_NOW = 1.0
RECENT_ALWAYS = 0.05

# score = 1 / (1 + exp(-(raw - CENTRE) / SPREAD)); the slope is that of a logistic regression of hits on evidence (run
# "weights"), the centre lies lower than its own, for small stores give small sums.
CENTRE = 6.0
SPREAD = 2.0

# A further passage of the same record adds this share of its own score.
FOLD_BONUS = 0.05

# What a text loses that nobody vouches for (taint 2 and 3): it stands behind its equal and is not hidden. No run chose it.
TAINT_COST = 0.08
PROTECTED_GAIN = 0.02

# What a hit of the current workspace gains in the sum before calibration where a question covers others too (isolation weak).
# Of like statements the own one stands first, and one elsewhere that answers better is not outranked (run "weak").
HOME_GAIN = 2.0

PRIMARY = 0.70
SUPPORTING = 0.35
# How strong an answer is: by the share of the question's words that a hit holds or stands beside, or by a cosine.
STRONG_COVER = 0.70
STRONG_ALIKE = 0.60
PARTIAL_COVER = 0.40
PARTIAL_ALIKE = 0.45

# What is over by its own dates, or has not begun, stands behind what holds and is found as well. In the sum before
# calibration, as are the next three: where the past is asked for, what was replaced rises, the latest replaced the furthest;
# where a time is asked for, what was in force then.
LAPSED = 1.0
PAST_RAISE = 1.5
PAST_LATEST = 0.5
PERIOD_RAISE = 1.0

# A question whose names are not in the best hit is not answered by it.
ANCHOR_COVER = 0.25
ANCHOR_COVER_SPEAKER = 0.10
ANCHOR_SCORE = 0.75
UNSEEN_PAIR = 2.0
# A cosine from which a passage counts as near in meaning, and the stricter one where the question's names are unknown.
ALIKE = 0.32
ALIKE_WITHOUT_NAMES = 0.60
# And where question and hit are written in different scripts, so that no word can meet (19 of 20 right hits lie above it).
ALIKE_FOREIGN = 0.18
# A fact was never said of the asked names when no passage about them holds more of its words than the first figure, while
# several passages about others hold all of them; or when this share of the question, by rarity, was never said at all.
# Chosen on the made-up world "ledgers" and LoCoMo; measured on two others (bench/RESULTS.md, run "probes").
SAID_LEAST = 0.35
SAID_WHOLE = 0.99
SAID_OF_OTHERS = 3
UNHEARD_SHARE = 0.80
ALL_NAMES = 0.99
# Two texts repeat each other from this share of common words on.
REPEAT_FROM = 0.6
REPEAT_CHARS = 2000
# How many candidates beyond the limit are read, to take the place of repeats and of what a budget skips.
SPARE = 16
