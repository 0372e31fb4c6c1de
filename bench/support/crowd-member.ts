import { randomBytes } from 'node:crypto'
import { signInPlainly, type CloudAccess } from '@mainstay/engines/openstack/testing/plain-client'

/** The project that `dev/openstack/crowd` fills. */
export const CROWD = 'crowd'

/** Runs `work` as a temporary user who is a member of the crowd's project. */
export async function withCrowdMember<Result>(
  access: CloudAccess,
  work: (member: CloudAccess) => Promise<Result>,
): Promise<Result> {
  const admin = await signInPlainly(access)
  const found = async (kind: string, name: string, more = '') => {
    const rows = await admin.list<{ id: string }>('identity', `/${kind}?name=${encodeURIComponent(name)}${more}`, kind)
    if (!rows[0]) throw new Error(`the cloud has no ${kind} ${name}; a crowd is made by dev/openstack/crowd`)
    return rows[0].id
  }
  const domain_id = await found('domains', access.userDomain)
  const project = await found('projects', CROWD, `&domain_id=${domain_id}`)
  const role = await found('roles', 'member')
  const name = `${CROWD}-${randomBytes(3).toString('hex')}`
  const password = randomBytes(12).toString('base64url')
  const draft = { user: { name, domain_id, password } }
  const { user } = await admin.call<{ user: { id: string } }>('identity', 'POST', '/users', draft)
  try {
    await admin.call('identity', 'PUT', `/projects/${project}/users/${user.id}/roles/${role}`)
    return await work({ ...access, username: name, password, projectName: CROWD, projectDomain: access.userDomain })
  } finally {
    await admin.call('identity', 'DELETE', `/users/${user.id}`)
  }
}
