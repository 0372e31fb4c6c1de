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

/** What can be given to users and groups, as command-line clients show it to choose from. */
const AccessRole = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Where it holds. */
  scope: z.array(z.enum(['system', 'domain', 'project'])),
  /** `hci.system` marks those of the whole installation. */
  tags: z.array(z.string()),
})
export type AccessRole = z.infer<typeof AccessRole>

type GivenRole = Exclude<SystemPermission, 'superuser'> | DomainPermission | UserProjectRole

const words: Record<GivenRole, [name: string, description: string]> = {
  admin: ['Administrator', 'Does everything in the whole installation'],
  viewer: ['Viewer', 'Looks at everything, and at no content'],
  abgw: ['Backup gateway', 'Administers the backup gateway'],
  cluster: ['Cluster', 'Administers nodes and disks of the cluster'],
  compute: ['Compute', 'Administers virtual machines and what they need'],
  iscsi: ['Block storage', 'Administers targets and volumes of iSCSI'],
  login: ['Sign-in', 'Signs in to the administration panel'],
  network: ['Network', 'Administers networks of the nodes'],
  nfs: ['NFS', 'Administers shares of NFS'],
  s3: ['S3', 'Administers object storage'],
  ssh: ['SSH', 'Administers keys for access to nodes'],
  updates: ['Updates', 'Installs updates'],
  debug: ['Features', 'Turns features on and off'],
  domain_admin: [
    'Domain administrator',
    'Administers users, groups and projects of a domain, and works in all of them',
  ],
  image_upload: ['Image upload', 'Uploads images, in the projects that the user works in'],
  quota_manager: ['Quota manager', 'Sets quotas of projects that the user works in'],
  project_admin: ['Project administrator', 'Administers what is in a project'],
  project_member: ['Project member', 'Works with what is in a project'],
  service_account: ['Service account', 'A program that works with what is in a project, and signs in to no console'],
}
const roleOf =
  (scope: AccessRole['scope'][number], tags: string[]) =>
  (id: GivenRole): AccessRole => {
    const [name, description] = words[id]
    return { id, name, description, scope: [scope], tags }
  }

/** All that somebody may be given; the first administrator's own permission is nobody's to give. */
export const accessRoles: readonly AccessRole[] = [
  ...systemPermissions.flatMap((it) => (it === BUILT_IN ? [] : [roleOf('system', ['hci.system'])(it as GivenRole)])),
  ...domainPermissions.map(roleOf('domain', [])),
  ...userProjectRoles.map(roleOf('project', [])),
]

/** The first administrator's permission is not among the roles. */
export const nameOfRole = (id: string): string => accessRoles.find((role) => role.id === id)?.name ?? 'Superuser'

export const accessRoleCalls = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/accounts/access-roles',
    needs: 'signed-in',
    summary: 'Permissions and roles that users and groups can be given, and where each holds',
    reply: z.array(AccessRole),
  },
})
