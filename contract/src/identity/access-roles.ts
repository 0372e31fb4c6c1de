import * as z from 'zod'
import { endpoints } from '../core/endpoint'
import {
  BUILT_IN,
  domainPermissions,
  userProjectRoles,
  systemPermissions,
  type DomainPermission,
  type SystemPermission,
  type UserProjectRole,
} from './user-roles'

/** A role or permission that can be assigned to users and groups, as listed by command-line clients. */
const AccessRole = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Scopes in which it can be assigned. */
  scope: z.array(z.enum(['system', 'domain', 'project'])),
  /** `hci.system` marks system permissions. */
  tags: z.array(z.string()),
})
export type AccessRole = z.infer<typeof AccessRole>

type GivenRole = Exclude<SystemPermission, 'superuser'> | DomainPermission | UserProjectRole

const words: Record<GivenRole, [name: string, description: string]> = {
  admin: ['Administrator', 'Has full access to the whole installation'],
  viewer: ['Viewer', 'Can view everything except consoles, console logs and image files'],
  abgw: ['Backup gateway', 'Manages the backup gateway'],
  cluster: ['Cluster', 'Manages the nodes and disks of the cluster'],
  compute: ['Compute', 'Manages virtual machines and their resources'],
  iscsi: ['Block storage', 'Manages iSCSI targets and volumes'],
  login: ['Sign-in', 'Can sign in to the admin panel'],
  network: ['Network', 'Manages the networks of the nodes'],
  nfs: ['NFS', 'Manages NFS shares'],
  s3: ['S3', 'Manages object storage'],
  ssh: ['SSH', 'Manages SSH keys for access to nodes'],
  updates: ['Updates', 'Installs software updates'],
  debug: ['Features', 'Turns features on and off'],
  domain_admin: [
    'Domain administrator',
    'Manages the users, groups and projects of a domain, and works in all of its projects',
  ],
  image_upload: ['Image upload', 'Uploads images in the projects of the user'],
  quota_manager: ['Quota manager', 'Sets the quotas of the projects of the user'],
  project_admin: ['Project administrator', 'Manages the resources of a project'],
  project_member: ['Project member', 'Uses the resources of a project'],
  service_account: ['Service account', 'A program that uses the resources of a project, without access to the console'],
}
const roleOf =
  (scope: AccessRole['scope'][number], tags: string[]) =>
  (id: GivenRole): AccessRole => {
    const [name, description] = words[id]
    return { id, name, description, scope: [scope], tags }
  }

/** All assignable roles and permissions. The permission of the built-in administrator is not assignable. */
export const accessRoles: readonly AccessRole[] = [
  ...systemPermissions.flatMap((it) => (it === BUILT_IN ? [] : [roleOf('system', ['hci.system'])(it as GivenRole)])),
  ...domainPermissions.map(roleOf('domain', [])),
  ...userProjectRoles.map(roleOf('project', [])),
]

/** Falls back to 'Superuser', because the permission of the built-in administrator is not in the list. */
export const nameOfRole = (id: string): string => accessRoles.find((role) => role.id === id)?.name ?? 'Superuser'

export const accessRoleCalls = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/accounts/access-roles',
    needs: 'signed-in',
    summary: 'List roles and permissions. Includes the scopes in which each can be assigned.',
    reply: z.array(AccessRole),
  },
})
