import { parsePublicKey } from '@mainstay/contract/compute/ssh-key-rules'
import type { SshKey } from '@mainstay/contract/compute/ssh-keys'
import type { IdentityPort, ProjectRecord, UserRecord } from '../../ports/identity'
import { sshFingerprint } from '../../ssh-fingerprint'
import type { Owner } from './rows'

/** Returns all projects of a domain, as seen by its administrator. */
export function projectsOfDomain(identity: IdentityPort, domainId: string): Promise<ProjectRecord[]> {
  const administrator: UserRecord = {
    id: 'world',
    name: 'world',
    domain_id: domainId,
    email: null,
    enabled: true,
    is_superuser: false,
    roles: ['domain_admin'],
    assigned_projects: [],
    identity_provider: null,
  }
  return identity.projectsOf(administrator)
}

/** Returns the project with this name, creating it if necessary. */
export async function projectNamed(identity: IdentityPort, domainId: string, name: string): Promise<ProjectRecord> {
  const projects = await projectsOfDomain(identity, domainId)
  return projects.find((project) => project.name === name) ?? identity.createProject({ name, domain_id: domainId })
}

export function keyRow(owner: Owner, id: string, name: string, text: string): SshKey {
  const key = parsePublicKey(text)
  if (typeof key === 'string') throw new Error(`the key "${name}" of the world is ${key}`)
  return {
    id,
    name,
    description: '',
    type: key.type,
    public_key: text,
    fingerprint: sshFingerprint(key.blob),
    weak: key.weak,
    ...owner,
    created_at: new Date().toISOString(),
  }
}
