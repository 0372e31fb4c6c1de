import type { DirectoryPort } from '../../../ports/directory'
import { createContext, type DirectoryOptions } from './context'
import { domainCommands } from './domains'
import { groupCommands } from './groups'
import { projectCommands } from './projects'
import { userCommands } from './users'

/**
 * Creates the port for domains, projects, users and groups in Keystone. Links for choosing a password are not
 * supported.
 */
export function createDirectory(options: DirectoryOptions): DirectoryPort {
  const directory = createContext(options)
  return {
    domains: domainCommands(directory),
    projects: projectCommands(directory),
    users: userCommands(directory),
    passwordLinks: null,
    groups: groupCommands(directory),
  }
}
