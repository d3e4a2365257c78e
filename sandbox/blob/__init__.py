"""Blob storage: one Azurite a storage account, behind a front that decides who may do what."""
