"""Azure: the credential, the clients with bounded waits, and its errors as ours."""
