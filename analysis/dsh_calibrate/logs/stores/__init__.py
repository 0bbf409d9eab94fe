"""Logs in object stores and on web servers, through fsspec (extra ``[remote]``).

An address (``s3://bucket/prefix``) becomes a
:class:`~dsh_calibrate.logs.stores.stored_object.StoredObject`, which stands where a path
stands. An object is fetched whole, once, into a temporary file and read from there: one
request, one version of it, and the very reader that local logs have.
"""
