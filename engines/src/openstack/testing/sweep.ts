import { signInPlainly, waitUntil, type CloudAccess, type PlainClient, type PlainService } from './plain-client'
import { ownRoleDescription } from '../identity/directory/giving'
import { fixturePrefix, roleForTests } from './cloud-fixture'

interface Named {
  id: string
  name: string
}

/**
 * Removes leftovers from tests: domains, projects, users, groups, flavors, networks and images whose names begin with
 * the prefix, and the contents of those projects. Returns a line for each object that could not be removed.
 */
export async function sweep(access: CloudAccess, prefix = fixturePrefix): Promise<string[]> {
  const admin = await signInPlainly(access)
  const left: string[] = []
  const remove = async (service: PlainService, path: string, body?: unknown) => {
    try {
      await admin.call(service, body === undefined ? 'DELETE' : 'POST', path, body)
    } catch (error) {
      // 404: it has already been deleted, perhaps together with another object
      if (!(error instanceof Error && 'status' in error && error.status === 404)) left.push(String(error))
    }
  }
  const ours = async (service: PlainService, path: string, key: string) =>
    (await admin.list<Named>(service, path, key)).filter(({ name }) => name.startsWith(prefix))

  const projects = await ours('identity', '/projects', 'projects')
  for (const project of projects) await emptyProject(admin, project.id, remove, left)
  for (const user of await ours('identity', '/users', 'users')) {
    const pairs = await admin.list<{ keypair: Named }>('compute', `/os-keypairs?user_id=${user.id}`, 'keypairs')
    for (const { keypair } of pairs)
      await remove('compute', `/os-keypairs/${encodeURIComponent(keypair.name)}?user_id=${user.id}`)
    await remove('identity', `/users/${user.id}`)
  }
  for (const { id } of await ours('image', '/images', 'images')) await removeImage(admin, id, remove)
  for (const { id } of await ours('network', '/networks', 'networks')) await remove('network', `/networks/${id}`)
  for (const { id } of await ours('compute', '/flavors?is_public=none', 'flavors'))
    await remove('compute', `/flavors/${id}`)
  await removeTraits(admin, prefix, remove)
  for (const { id } of projects) await remove('identity', `/projects/${id}`)
  for (const { id } of await ours('identity', '/groups', 'groups')) await remove('identity', `/groups/${id}`)
  for (const { id } of await ours('identity', '/domains', 'domains')) {
    await admin.call('identity', 'PATCH', `/domains/${id}`, { domain: { enabled: false } })
    await remove('identity', `/domains/${id}`)
  }
  for (const { id, description } of await admin.list<Named & { description?: string }>('identity', '/roles', 'roles'))
    if (rolesOfTests.includes(description ?? '') && !(await isGiven(admin, id)))
      await remove('identity', `/roles/${id}`)
  return left
}

/** Descriptions of roles that tests create, and of those that the console creates when it assigns them. */
const rolesOfTests = [roleForTests, ownRoleDescription]

/** Whether a role is assigned, which means that another run is using it. */
const isGiven = async (admin: PlainClient, role: string): Promise<boolean> =>
  (await admin.list<unknown>('identity', `/role_assignments?role.id=${role}`, 'role_assignments')).length > 0

type Remove = (service: PlainService, path: string, body?: unknown) => Promise<void>

async function emptyProject(admin: PlainClient, project: string, remove: Remove, left: string[]): Promise<void> {
  const servers = () => admin.list<Named>('compute', `/servers?all_tenants=1&project_id=${project}`, 'servers')
  for (const { id } of await servers()) await remove('compute', `/servers/${id}`)
  await gone('servers', servers, left)

  await removeBackups(admin, project, remove, left)
  const snapshots = () => admin.list<Named>('volume', `/snapshots?all_tenants=1&project_id=${project}`, 'snapshots')
  for (const { id } of await snapshots()) await remove('volume', `/snapshots/${id}`)
  await gone('snapshots', snapshots, left)
  const volumes = () => admin.list<Named>('volume', `/volumes?all_tenants=1&project_id=${project}`, 'volumes')
  for (const { id } of await volumes()) await remove('volume', `/volumes/${id}/action`, { 'os-force_delete': {} })
  await gone('volumes', volumes, left)

  for (const { id } of await admin.list<Named>('image', `/images?owner=${project}`, 'images'))
    await removeImage(admin, id, remove)
  const ofProject = (path: string) =>
    admin.list<Named>('network', `/${path}?project_id=${project}`, path.replace('-', '_'))
  await removeVpn(admin, project, remove)
  await removeBalancers(admin, project, remove, left)
  for (const { id } of await ofProject('floatingips')) await remove('network', `/floatingips/${id}`)
  for (const { id } of await ofProject('routers')) await removeRouter(admin, id, remove)
  for (const path of ['ports', 'networks', 'security-groups'] as const)
    for (const { id } of await ofProject(path)) await remove('network', `/${path}/${id}`)
  const groups = await admin.call<{ server_groups: (Named & { project_id: string })[] }>(
    'compute',
    'GET',
    '/os-server-groups?all_projects=true',
  )
  for (const { id, project_id } of groups.server_groups)
    if (project_id === project) await remove('compute', `/os-server-groups/${id}`)
  // quotas are stored by project ID and outlive the project
  for (const service of ['compute', 'volume'] as const) await remove(service, `/os-quota-sets/${project}`)
  await remove('network', `/quotas/${project}`)
}

interface Backup extends Named {
  status: string
  has_dependent_backups: boolean
  'os-backup-project-attr:project_id': string
}

/**
 * Removes the backups of volumes in a project. Increments are removed first, because a backup cannot be removed while
 * increments depend on it.
 */
async function removeBackups(admin: PlainClient, project: string, remove: Remove, left: string[]): Promise<void> {
  const removeSome = async (): Promise<Backup[]> => {
    const all = await admin.list<Backup>('volume', '/backups/detail?all_tenants=1', 'backups')
    const ours = all.filter((it) => it['os-backup-project-attr:project_id'] === project)
    for (const { id, status, has_dependent_backups } of ours)
      if (!has_dependent_backups && ['available', 'error'].includes(status)) await remove('volume', `/backups/${id}`)
    return ours
  }
  await gone('backups', removeSome, left)
}

/** Removes all VPN objects in a project. Connections are removed first, because they use the other objects. */
async function removeVpn(admin: PlainClient, project: string, remove: Remove): Promise<void> {
  const { extensions } = await admin.call<{ extensions: { alias: string }[] }>('network', 'GET', '/extensions')
  if (!extensions.some(({ alias }) => alias === 'vpn-endpoint-groups')) return
  for (const list of ['ipsec-site-connections', 'endpoint-groups', 'ikepolicies', 'ipsecpolicies', 'vpnservices']) {
    const path = `/vpn/${list}?project_id=${project}&fields=id&fields=name`
    for (const { id } of await admin.list<Named>('network', path, list.replaceAll('-', '_')))
      await remove('network', `/vpn/${list}/${id}`)
  }
}

/** Removes the load balancers in a project with their contents. */
async function removeBalancers(admin: PlainClient, project: string, remove: Remove, left: string[]): Promise<void> {
  if (!admin.has('load-balancer')) return
  const path = `/lbaas/loadbalancers?project_id=${project}`
  const balancers = () => admin.list<Named>('load-balancer', path, 'loadbalancers')
  for (const { id } of await balancers()) await remove('load-balancer', `/lbaas/loadbalancers/${id}?cascade=true`)
  await gone('load balancers', balancers, left)
  await remove('load-balancer', `/lbaas/quotas/${project}`)
}

/** Removes a router after its routes and interfaces. */
async function removeRouter(admin: PlainClient, id: string, remove: Remove): Promise<void> {
  await admin.call('network', 'PUT', `/routers/${id}`, { router: { routes: [] } })
  const ports = await admin.list<Named>(
    'network',
    `/ports?device_id=${id}&device_owner=network:router_interface`,
    'ports',
  )
  for (const port of ports)
    await admin.call('network', 'PUT', `/routers/${id}/remove_router_interface`, { port_id: port.id })
  await remove('network', `/routers/${id}`)
}

/** Waits until a list is empty; adds a line to `left` after a timeout. */
const gone = (what: string, look: () => Promise<Named[]>, left: string[]): Promise<void> =>
  waitUntil(`${what} to be gone`, async () => (await look()).length === 0).catch((error: Error) => {
    left.push(error.message)
  })

/** Removes the traits of a test run, whose names are in upper case, from all nodes and from the cloud. */
async function removeTraits(admin: PlainClient, prefix: string, remove: Remove): Promise<void> {
  const begin = `CUSTOM_${prefix.toUpperCase().replaceAll('-', '_')}`
  const { traits } = await admin.call<{ traits: string[] }>('placement', 'GET', `/traits?name=startswith:${begin}`)
  for (const trait of traits) {
    const path = `/resource_providers?required=${trait}`
    const carriers = await admin.call<{ resource_providers: { uuid: string }[] }>('placement', 'GET', path)
    for (const { uuid } of carriers.resource_providers)
      await setTraits(admin, uuid, (had) => had.filter((it) => it !== trait))
    await remove('placement', `/traits/${trait}`)
  }
}

/** Changes a node's traits. If they were changed concurrently, the request fails instead of overwriting that change. */
export async function setTraits(
  admin: PlainClient,
  node: string,
  change: (traits: string[]) => string[],
): Promise<void> {
  const path = `/resource_providers/${node}/traits`
  const had = await admin.call<{ traits: string[] }>('placement', 'GET', path)
  await admin.call('placement', 'PUT', path, { ...had, traits: change(had.traits) })
}

async function removeImage(admin: PlainClient, id: string, remove: Remove): Promise<void> {
  const { protected: isProtected } = await admin.call<{ protected: boolean }>('image', 'GET', `/images/${id}`)
  if (isProtected) await unprotect(admin, id)
  await remove('image', `/images/${id}`)
}

const unprotect = (admin: PlainClient, id: string): Promise<unknown> =>
  admin.call('image', 'PATCH', `/images/${id}`, [{ op: 'replace', path: '/protected', value: false }])
