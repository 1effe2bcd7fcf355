"""What methods that learn pixel by pixel are put together with; no method is registered here."""
