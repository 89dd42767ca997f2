"""What a name looks like: a person, a tool, an organisation, a place, a project, a decision, or nothing that shows.

A guess is made from the name alone and only where its shape or a short list leaves no doubt; whoever knows better says so.
"""

from __future__ import annotations

import re
from functools import cache

from muniment.model.knowing import EntityType
from muniment.text.scripts import fold

# Those who speak for a machine; what they say of themselves is nothing to keep.
MACHINES = frozenset("assistant ai bot model system tool chatgpt claude gemini copilot".split())
TITLES = frozenset("mr mrs ms dr prof herr frau monsieur madame señor señora sir lady".split())
FORMS = frozenset(
    """
    inc ltd llc gmbh ag corp corporation plc kg university universität institute institut foundation ministry
    """.split()
)
STREETS = frozenset("street avenue road lane boulevard square airport station river lake mount park".split())
PLACES = frozenset(
    """
    berlin munich münchen hamburg cologne köln frankfurt vienna wien zurich zürich paris london madrid rome lisbon
    dublin amsterdam brussels stockholm oslo helsinki copenhagen warsaw prague budapest athens moscow istanbul cairo
    lagos nairobi delhi mumbai beijing shanghai shenzhen tokyo osaka seoul singapore sydney melbourne toronto montreal
    chicago boston seattle austin germany france england spain italy portugal ireland netherlands belgium sweden norway
    finland denmark poland austria switzerland greece turkey russia china japan korea india canada mexico brazil
    argentina australia deutschland frankreich österreich schweiz 北京 上海 深圳 广州 杭州 中国 日本 东京 香港 台北 europe asia
    africa
    america
    """.split()
)
TOOLS = frozenset(
    """
    postgres postgresql mysql mariadb sqlite redis mongodb cassandra elasticsearch kafka rabbitmq docker kubernetes k8s
    terraform ansible jenkins github gitlab git python rust golang java javascript typescript ruby php perl django flask
    fastapi react vue angular svelte node nodejs npm pip linux ubuntu debian windows macos android ios nginx apache
    grafana prometheus slack jira confluence notion figma vscode vim emacs aws azure gcp pytest numpy pandas pytorch
    tensorflow spark airflow
    """.split()
)


def guess(name: str) -> EntityType:
    """`other` unless the name itself shows what it names."""
    words = [fold(word).strip(".,") for word in name.split()]
    if not words:
        return "other"
    if words[0] in TITLES and len(words) > 1:
        return "person"
    if words[-1] in FORMS and len(words) > 1:
        return "org"
    if " ".join(words) in PLACES or (words[-1] in STREETS and len(words) > 1):
        return "place"
    if " ".join(words) in TOOLS or _code().fullmatch(name):
        return "tool"
    if words[0] in ("project", "projekt") and len(words) > 1:
        return "project"
    return "decision" if _decision().fullmatch(name) else "other"


@cache
def _code() -> re.Pattern[str]:
    """Names of programs, files, variables and addresses."""
    return re.compile(
        r"\w+(?:[-_]\w+)*\.(?:py|js|ts|go|rs|sh|toml|ya?ml|json|sql|md|db)|[a-z]+(?:_[a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+|https?://\S+"
    )


@cache
def _decision() -> re.Pattern[str]:
    return re.compile(r"(?:ADR|RFC|PEP|DEC)[- ]?\d+", re.IGNORECASE)
