"""Cinder's services with notifications.

Debian's oslo.messaging (14.0.3) creates a new context from the non-secret values
of the current one. Cinder 21 cannot create a context without `read_deleted`, so
requests that send a notification fail with error 500.
"""
import importlib


def _main(name):
    service = importlib.import_module("cinder.cmd." + name)  # monkey patching first
    from cinder import context

    whole = context.RequestContext.from_dict.__func__

    def from_dict(cls, values):
        return whole(cls, {**values, "read_deleted": values.get("read_deleted") or "no"})

    context.RequestContext.from_dict = classmethod(from_dict)
    return service.main()


def api():
    return _main("api")


def backup():
    return _main("backup")


def scheduler():
    return _main("scheduler")


def volume():
    return _main("volume")
