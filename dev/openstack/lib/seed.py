"""Creates the objects that a new cloud requires, if they are missing. seed.py identity|resources|fake_hosts|balancers

Reads its settings from SEED_* variables. Idempotent.
"""
import json
import os
import sys
import time

from keystoneauth1 import session
from keystoneauth1.identity import v3
from openstack import connection

E = os.environ
HOST = E["SEED_HOST"]
REGION = E["SEED_REGION"]
BALANCERS = bool(E["SEED_BALANCERS"])
FAKE_HOSTS = [f"os-fake-{i + 1}" for i in range(int(E["SEED_FAKE_HOSTS"]))]


def connect(user, password, project):
    auth = v3.Password(auth_url=f"http://{HOST}:5000/v3", username=user, password=password,
                       project_name=project, user_domain_name="Default",
                       project_domain_name="Default")
    return connection.Connection(session=session.Session(auth=auth), region_name=REGION,
                                 identity_api_version="3", compute_api_version="2.1",
                                 network_api_version="2", volume_api_version="3",
                                 image_api_version="2")


def wait(what, func, seconds=240):
    end = time.time() + seconds
    while True:
        try:
            r = func()
            if r:
                return r
            err = "not ready"
        except Exception as exc:  # services are still starting
            err = exc
        if time.time() > end:
            sys.exit(f"timed out waiting for {what}: {err}")
        time.sleep(1)


cloud = connect("admin", E["SEED_ADMIN_PASSWORD"], "admin")


def identity():
    ks = cloud.identity
    wait("keystone", lambda: cloud.authorize(), 90)
    domain = "default"
    roles = {r.name: r for r in ks.roles()}
    for name in ("admin", "member", "reader", "service"):
        if name not in roles:
            roles[name] = ks.create_role(name=name)
    projects = {p.name: p for p in ks.projects()}
    for name in ("admin", "service", "demo"):
        if name not in projects:
            projects[name] = ks.create_project(name=name, domain_id=domain)
    users = {u.name: u for u in ks.users()}

    def user(name, password):
        if name not in users:
            users[name] = ks.create_user(name=name, password=password, domain_id=domain)
        return users[name]

    def grant(user, role, project):
        ks.assign_project_role_to_user(project, user, role)

    services = {
        "glance": ("image", f"http://{HOST}:9292"),
        "placement": ("placement", f"http://{HOST}:8778"),
        "nova": ("compute", f"http://{HOST}:8774/v2.1"),
        "neutron": ("network", f"http://{HOST}:9696"),
        "cinderv3": ("volumev3", f"http://{HOST}:8776/v3/$(project_id)s"),
    }
    names = ["glance", "placement", "nova", "neutron", "cinder"]
    of_balancers = ("load-balancer_member", "creator") if BALANCERS else ()
    if BALANCERS:
        services["octavia"] = ("load-balancer", f"http://{HOST}:9876")
        services["barbican"] = ("key-manager", f"http://{HOST}:9311")
        names += ["octavia", "barbican"]
    for name in of_balancers:
        if name not in roles:
            roles[name] = ks.create_role(name=name)
    for name in names:
        u = user(name, E["SEED_SERVICE_PASSWORD"])
        grant(u, roles["admin"], projects["service"])
        grant(u, roles["service"], projects["service"])
    have = {s.name: s for s in ks.services()}
    endpoints = {(e.service_id, e.interface): e for e in ks.endpoints()}
    for name, (kind, url) in services.items():
        s = have.get(name) or ks.create_service(name=name, type=kind)
        for interface in ("public", "internal", "admin"):
            if (s.id, interface) not in endpoints:
                ks.create_endpoint(service_id=s.id, interface=interface, url=url, region_id=REGION)
    grant(users["admin"], roles["member"], projects["admin"])
    grant(user("demo", "demo"), roles["member"], projects["demo"])
    for name in of_balancers:
        grant(users["demo"], roles[name], projects["demo"])
    federation(ks, domain, roles["member"], projects["demo"])


def federation(ks, domain, role, project):
    """Creates the identity provider for lib/python/identity_provider.py, and a group that it may report."""
    group = ks.find_group("federated") or ks.create_group(name="federated", domain_id=domain)
    ks.assign_project_role_to_group(project, group, role)
    rules = [{"local": [{"user": {"name": "{0}", "email": "{1}"}}, {"groups": "{2}", "domain": {"id": domain}}],
              "remote": [{"type": "IDP_NAME"}, {"type": "IDP_EMAIL"}, {"type": "IDP_GROUPS"}]}]
    if not ks.find_mapping("company"):
        ks.create_mapping(id="company", rules=rules)
    if not ks.find_identity_provider("company"):
        ks.create_identity_provider(id="company", description="The company", domain_id=domain, is_enabled=True,
                                    remote_ids=["https://company.test"])
        ks.create_federation_protocol("company", id="mapped", mapping_id="company")


def resources():
    net, nova = cloud.network, cloud.compute
    wait("neutron", lambda: list(net.extensions()))
    wait("nova", lambda: list(nova.flavors()) is not None)
    ext = net.find_network("public")
    if not ext:
        ext = net.create_network(name="public", is_router_external=True, is_shared=False,
                                 provider_network_type="flat", provider_physical_network="public")
    cidr, gateway = E["SEED_EXT_CIDR"], E["SEED_EXT_GATEWAY"]
    if not net.find_subnet("public-subnet", network_id=ext.id):
        base = cidr.split("/")[0].rsplit(".", 1)[0]
        net.create_subnet(name="public-subnet", network_id=ext.id, ip_version=4, cidr=cidr,
                          gateway_ip=gateway, is_dhcp_enabled=False,
                          allocation_pools=[{"start": f"{base}.10", "end": f"{base}.250"}])
    have = {f.name for f in nova.flavors()}
    for fid, name, ram, vcpus, disk in (("1", "m1.tiny", 128, 1, 1), ("2", "m1.small", 512, 1, 5),
                                        ("3", "m1.medium", 1024, 2, 10), ("4", "m1.large", 2048, 2, 20)):
        if name not in have:
            nova.create_flavor(flavorid=fid, name=name, ram=ram, vcpus=vcpus, disk=disk)
    if not cloud.image.find_image("tiny"):
        with open(E["SEED_IMAGE"], "rb") as data:
            image = cloud.image.create_image(
                name="tiny", disk_format="qcow2", container_format="bare", visibility="public",
                min_disk=0, min_ram=96, data=data, validate_checksum=False, use_import=False,
                os_distro="debian", os_type="linux", hw_rng_model="virtio", hw_video_model="vga")
    types = {t.name for t in wait("cinder", lambda: list(cloud.block_storage.types()))}
    if "ceph" not in types:
        cloud.block_storage.create_type(name="ceph", description="Replicated block storage (Ceph RBD)",
                                        extra_specs={"volume_backend_name": "ceph"})
    wait("nova-compute", lambda: [s for s in nova.services() if s.binary == "nova-compute" and s.state == "up"])
    wait("the hypervisors", lambda: len(list(nova.hypervisors())) > len(FAKE_HOSTS))
    wait("cinder-volume", lambda: [s for s in cloud.block_storage.get("/os-services").json()["services"]
                                   if s["binary"] == "cinder-volume" and s["state"] == "up"])


def fake_hosts():
    """Adds nodes of the fake driver to an isolated aggregate, and creates a flavor that requires them."""
    nova, trait = cloud.compute, "CUSTOM_FAKE"

    def placement(verb, path, **more):
        return cloud.session.request(path, verb, endpoint_filter={"service_type": "placement"},
                                     headers={"OpenStack-API-Version": "placement 1.39"}, **more)

    placement("PUT", "/traits/" + trait)
    aggregate = next((a for a in nova.aggregates() if a.name == "fake"), None) or nova.create_aggregate(name="fake")
    nova.set_aggregate_metadata(aggregate, {"trait:" + trait: "required"})
    for name in FAKE_HOSTS:
        if name not in (aggregate.hosts or []):
            nova.add_host_to_aggregate(aggregate, name)
        (provider,) = placement("GET", "/resource_providers?name=" + name).json()["resource_providers"]
        path = f"/resource_providers/{provider['uuid']}/traits"
        had = placement("GET", path).json()
        if trait not in had["traits"]:
            placement("PUT", path, json={"resource_provider_generation": had["resource_provider_generation"],
                                         "traits": had["traits"] + [trait]})
    if not nova.find_flavor("fake.tiny"):
        flavor = nova.create_flavor(name="fake.tiny", ram=64, vcpus=1, disk=0)
        nova.create_flavor_extra_specs(flavor, {"trait:" + trait: "required"})


def balancers():
    """Creates flavors for a single load balancer and for an active/standby pair."""
    def octavia(verb, path, **more):
        return cloud.session.request("/v2.0/lbaas" + path, verb, endpoint_filter={"service_type": "load-balancer"}, **more)

    wait("octavia", lambda: octavia("GET", "/providers"), 120)
    have = {f["name"] for f in octavia("GET", "/flavors").json()["flavors"]}
    for name, topology in (("single", "SINGLE"), ("pair", "ACTIVE_STANDBY")):
        if name not in have:
            profile = octavia("POST", "/flavorprofiles", json={"flavorprofile": {
                "name": name, "provider_name": "amphora", "flavor_data": json.dumps({"loadbalancer_topology": topology})}})
            octavia("POST", "/flavors", json={"flavor": {
                "name": name, "description": "", "enabled": True,
                "flavor_profile_id": profile.json()["flavorprofile"]["id"]}})


{"balancers": balancers, "identity": identity, "resources": resources, "fake_hosts": fake_hosts}[sys.argv[1]]()
