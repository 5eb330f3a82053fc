"""A fence around untrusted text that the text cannot close."""

from hashlib import blake2b


def mark(data: str) -> str:
    """20 hexadecimal digits that do not occur in `data`: the same for the same data, unknown before it exists.

    The mark is a digest of what it encloses, so whoever writes the data would have to find text that
    contains its own digest; should that ever happen, the digest is taken again.
    """
    encoded = data.encode()
    digest = blake2b(encoded, digest_size=10)
    while digest.hexdigest() in data:
        digest = blake2b(encoded, digest_size=10, key=digest.digest())
    return digest.hexdigest()
