"""The domain library of the GPU platform: rules and clients, with no Prefect in it."""
