"""Words that open English sentences with a capital and are no names.

Always true here: a word in this list names nothing when it only stands first; in the middle of a sentence it is not asked.
"""

from __future__ import annotations

STARTERS = frozenset(
    """
    absolutely actually add after again all almost already also although always amazing and another any anyone anything
    anyway apparently are around as ask at awesome aww bad basically because been before being believe besides best
    better both bring but buy by bye call came can cannot certainly change check cheers clearly click come compare
    congrats congratulations consider cool could couldn create curious cute damn day days dear define definitely delete
    describe despite did different difficult discuss do does doing don done dude during each easy either else enjoy
    enough especially even eventually every everybody everyone everything exactly excellent except excited exciting
    explain explore fair fantastic far feel few finally find fine first fix for fortunately friends from full fun funny
    further generally get getting give given glad go going gonna good goodbye goodnight gosh got gotcha great had haha
    hang happy hard has have having he hello help her here hers hey hi his hmm hold honestly hope hopefully how however
    huge hurry if imagine in include indeed instead interesting is isn it its just keep kids kind know last lately later
    least leave let life like likely list listen little lol long look looks lots love lovely luckily made mainly make
    many maybe me mention might mine more morning most mostly much music must my myself name near need never
    nevertheless new next nice night no nobody none nope nor not note nothing now obviously of off often oh ok okay old
    omg on once one only oops open or other otherwise ouch our out over own painting people per perfect perhaps
    personally place plan please plus possibly previously probably provide put quick quite rather read ready really
    recently regarding relax remember remind review right run sad said same save say search see seems send set several
    shall she should show similarly simply since sleep so some somebody someone something sometimes somewhat soon sorry
    sounds start still stop stories such summarize super sure surely take talk tell than thank thankfully thanks that
    the their them then there therefore these they thing things think this those though through thus till time to today
    together tomorrow tonight too totally train travel true truly try two ugh unfortunately unless until up update us
    use using usually very wait walk want was watch way we welcome well were what whatever when whenever where wherever
    whether which while whilst who whoever whose why wild will wish with within without woah won wonderful work would
    wow write yay yeah year years yep yes yesterday yet you your yours yup
    """.split()
)
