"""Microsoft Entra ID: discovery, the token endpoint, signed tokens, a little of Microsoft Graph."""
