"""A surface feature of one's own: how many digits the response has."""


def digits(response):
    """How many characters of the response are digits."""
    return sum(char.isdigit() for char in response)
