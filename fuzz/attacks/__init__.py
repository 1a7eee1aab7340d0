"""The attacks of fuzz/campaign.py."""
