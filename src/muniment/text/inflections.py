"""English forms that no suffix rule reaches, and spellings of one word on two sides of an ocean.

Always true here: a line lists the dictionary form first; every later form of the line is indexed and asked as that one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_VERBS = """
arise arose arisen|awake awoke awoken|become became|begin began begun|bend bent|bite bit bitten
bleed bled|blow blew blown
break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught
choose chose chosen|cling clung
come came|creep crept|deal dealt|dig dug|do did done does|draw drew drawn|dream dreamt
drink drank drunk|drive drove driven
dwell dwelt|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled
fling flung|fly flew flown
forbid forbade forbidden|foresee foresaw foreseen|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen
get got gotten|give gave given|go went gone goes|grow grew grown|hang hung|have has had|hear heard
hide hid hidden|hold held
keep kept|kneel knelt|know knew known|lay laid|lead led|lean leant|leap leapt|learn learnt
leave left|lend lent|light lit
lose lost|make made|mean meant|meet met|mislead misled|misspell misspelt|mistake mistook mistaken|overcome overcame
overwrite overwrote overwritten|pay paid|prove proven|rebuild rebuilt|redo redid redone|repay repaid|rerun reran
rethink rethought|rewrite rewrote rewritten|ride rode ridden|ring rang rung|rise rose risen|run ran
say said|see saw seen
seek sought|sell sold|send sent|sew sewn|shake shook shaken|shave shaven|shine shone|shoot shot
show shown|shrink shrank shrunk
sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid|sling slung|smell smelt|sneak snuck
speak spoke spoken|speed sped
spell spelt|spend spent|spill spilt|spin spun|spit spat|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen
stick stuck|sting stung|stink stank stunk|stride strode|strike struck|strive strove striven
swear swore sworn|sweep swept
swell swollen|swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told
think thought|throw threw thrown
tread trod trodden|undergo underwent undergone|understand understood|undertake undertook undertaken|undo undid undone
uphold upheld|wake woke woken|wear wore worn|weave wove woven|weep wept|win won
withdraw withdrew withdrawn|withhold withheld
withstand withstood|wring wrung|write wrote written|die dying|lie lying|tie tying|be been being
"""
_NOUNS = """
child children|man men|woman women|person people persons|foot feet|tooth teeth|mouse mice|louse lice|goose geese|ox oxen
wife wives|knife knives|leaf leaves|half halves|wolf wolves|shelf shelves|loaf loaves
thief thieves|calf calves
scarf scarves|elf elves|self selves|hoof hooves|analysis analyses|basis bases|crisis crises|diagnosis diagnoses
hypothesis hypotheses|thesis theses|parenthesis parentheses|synthesis syntheses|criterion criteria|phenomenon phenomena
index indices indexes|matrix matrices|vertex vertices|appendix appendices|schema schemata schemas
cactus cacti|fungus fungi
stimulus stimuli|syllabus syllabi|alumnus alumni|radius radii|nucleus nuclei|bacterium bacteria|curriculum curricula
businesswoman businesswomen|businessman businessmen|grandchild grandchildren|stepchild stepchildren|fireman firemen
policeman policemen|fisherman fishermen|salesman salesmen|housewife housewives|midwife midwives
"""
# British first, American second: both end at the American stem.
_SPELLINGS = """
colour color|favour favor|favourite favorite|flavour flavor|honour honor|humour humor|labour labor|neighbour neighbor
neighbourhood neighborhood|behaviour behavior|harbour harbor|rumour rumor|vapour vapor|saviour savior|endeavour endeavor
centre center|theatre theater|metre meter|litre liter|fibre fiber|kilometre kilometer
centimetre centimeter|calibre caliber
organise organize|organisation organization|realise realize|recognise recognize|apologise apologize
prioritise prioritize
summarise summarize|optimise optimize|optimisation optimization|analyse analyze|customise customize
specialise specialize
minimise minimize|maximise maximize|normalise normalize|serialise serialize|initialise initialize
synchronise synchronize
authorise authorize|authorisation authorization|categorise categorize|emphasise emphasize
memorise memorize|visualise visualize
utilise utilize|finalise finalize|localise localize|tokenise tokenize|criticise criticize|socialise socialize
defence defense|offence offense|licence license|practise practice|grey gray|programme program
catalogue catalog|dialogue dialog
analogue analog|cheque check|jewellery jewelry|pyjamas pajamas|tyre tire|mum mom|mummy mommy|yoghurt yogurt|cosy cozy
moustache mustache|doughnut donut|aeroplane airplane|travelled traveled|travelling traveling|traveller traveler
cancelled canceled|cancelling canceling|labelled labeled|labelling labeling|modelled modeled|modelling modeling
enrol enroll|fulfil fulfill|skilful skillful|ageing aging|plough plow|sceptical skeptical
storey story|kerb curb|artefact artifact
"""


def _groups(text: str) -> list[list[str]]:
    return [group.split() for line in text.split("\n") for group in line.split("|") if group.split()]


IRREGULAR: Mapping[str, str] = MappingProxyType({form: group[0] for group in _groups(_VERBS + _NOUNS) for form in group[1:]})
SPELLINGS: tuple[tuple[str, str], ...] = tuple((group[0], group[1]) for group in _groups(_SPELLINGS))
