"""What the server says of itself: RFC 8414 for the authorization server, RFC 9728 for what its tokens are good for."""

from __future__ import annotations

from typing import Any

from muniment.access.oauth import pkce, signing
from muniment.access.oauth.asking import SCOPES
from muniment.access.oauth.clients import METHODS
from muniment.access.oauth.registration import GRANT_TYPES
from muniment.surfaces import rpc
from muniment.surfaces.oauth.provider import AUTHORIZE, REGISTER, REVOKE, TOKEN, Provider


def of_server(held: Provider) -> dict[str, Any]:
    """The metadata of the authorization server."""
    return {
        "issuer": held.target.issuer,
        "authorization_endpoint": held.url(AUTHORIZE),
        "token_endpoint": held.url(TOKEN),
        "registration_endpoint": held.url(REGISTER),
        "revocation_endpoint": held.url(REVOKE),
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(GRANT_TYPES),
        "token_endpoint_auth_methods_supported": list(METHODS),
        "token_endpoint_auth_signing_alg_values_supported": list(signing.ALGORITHMS),
        "revocation_endpoint_auth_methods_supported": list(METHODS),
        "revocation_endpoint_auth_signing_alg_values_supported": list(signing.ALGORITHMS),
        "code_challenge_methods_supported": [pkce.METHOD],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": held.documents is not None,
    }


def of_resource(held: Provider) -> dict[str, Any]:
    """The metadata of the resource: the address of MCP as a person types it into a client."""
    scopes = {"scopes_supported": list(held.scopes)} if held.scopes else {}
    return {
        "resource": held.target.resource,
        "authorization_servers": [held.external.issuer if held.external else held.target.issuer],
        **scopes,
        "bearer_methods_supported": ["header"],
        "resource_name": rpc.TITLE,
    }
