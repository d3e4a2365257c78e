"""Names for the strings that must not be mixed up."""

from __future__ import annotations

from typing import NewType

__all__ = ["ClusterName", "ObjectId", "Region", "ResourceGroupName", "ResourceId", "RunId", "SubscriptionId"]

SubscriptionId = NewType("SubscriptionId", str)
ResourceGroupName = NewType("ResourceGroupName", str)
ResourceId = NewType("ResourceId", str)
ClusterName = NewType("ClusterName", str)
ObjectId = NewType("ObjectId", str)
Region = NewType("Region", str)
RunId = NewType("RunId", str)
