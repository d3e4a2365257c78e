"""What people read: Markdown tables and texts."""
