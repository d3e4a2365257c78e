"""A local Azure: real servers on loopback that unmodified Azure clients work against."""
