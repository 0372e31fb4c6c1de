import { createHash, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import type { Statement } from '@mainstay/contract/infrastructure/node-rules'
import type { Config } from '../../../../config'
import { isOfLoopback } from '../../../../http/addresses/hosts'
import type { CallRequest } from '../../../../http/serve'
import type { Tools } from '../../../../tools'
import { statement } from '../statement'

type CommandTools = Pick<Tools, 'certificate' | 'config' | 'consoleAddresses'>

/**
 * Returns the SHA-256 hash of the public key of our own certificate, in the format that curl accepts. Returns null if a
 * known authority has signed the certificate, or if the address belongs to a proxy, which has its own certificate.
 */
function pinOf({ certificate, config }: CommandTools, address: URL): string | null {
  const pair = certificate.pair()
  if (!pair || address.protocol !== 'https:' || certificate.about(null).source !== 'self-signed') return null
  const own = new X509Certificate(pair.cert)
  if (config.adminAddress !== null && !isOwnAddress(own, address, config.adminPort)) return null
  const key = own.publicKey.export({ type: 'spki', format: 'der' })
  return `sha256//${createHash('sha256').update(key).digest('base64')}`
}

/**
 * Whether a configured address belongs to the server itself: its certificate includes the name, and the port is ours.
 */
function isOwnAddress(own: X509Certificate, { hostname: name, port }: URL, adminPort: number): boolean {
  const host = name.replace(/^\[|\]$/g, '')
  const isNamed = (isIP(host) ? own.checkIP(host) : own.checkHost(host)) !== undefined
  return isNamed && Number(port || HTTPS_PORT) === adminPort
}

const HTTPS_PORT = 443

/**
 * Returns the host name or address at which other hosts reach this server, as far as the server knows: the address that
 * it listens on, or else its host name.
 */
function ownHost({ host }: Pick<Config, 'host'>): string {
  const isAnyOrHere = ['0.0.0.0', '::'].includes(host) || isOfLoopback(host)
  return isAnyOrHere ? hostname() : host.includes(':') ? `[${host}]` : host
}

/**
 * Returns the command that registers a host when it is run as root on that host. If no known authority has signed the
 * certificate, the command checks its fingerprint, so that an attacker cannot replace the script. Without encryption, a
 * warning is included.
 */
export function registrationCommand(
  tools: CommandTools,
  request: CallRequest,
  token: string,
): { command: string; warning: Statement | null } {
  const { config, certificate, consoleAddresses } = tools
  const scheme = certificate.pair() ? 'https' : 'http'
  const address = consoleAddresses.of('admin', request) ?? `${scheme}://${ownHost(config)}:${config.adminPort}`
  const { protocol } = new URL(address)
  const pin = pinOf(tools, new URL(address))
  const curl = ['curl', '-fsS', ...(pin === null ? [] : ['-k', '--pinnedpubkey', quoted(pin)])]
  const given = [address, token, ...(pin === null ? [] : [pin])].map(quoted).join(' ')
  return {
    command: `${curl.join(' ')} ${quoted(`${address}${nodeRegistration.script.path}`)} | sudo sh -s -- ${given}`,
    warning: protocol === 'https:' ? null : statement('infrastructure.registration_plain'),
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Returns the part of a public key that identifies it. */
const blobOf = (publicKey: string): string => publicKey.split(' ')[1]!

/**
 * Returns a command that removes the key of the installation from the `authorized_keys` file of the account that runs
 * the command.
 */
const removal = (publicKey: string): string => `sed -i '\\,${blobOf(publicKey)},d' "$HOME/.ssh/authorized_keys"`

/** Returns the shell command that removes our key, to be run by the account itself. */
export const removeKey = (publicKey: string): readonly string[] => ['sh', '-c', removal(publicKey)]

/** Like `removeKey`, but for an operator on the host. */
export const removalCommand = (publicKey: string, user: string): string =>
  `sudo -u ${user} sh -c ${quoted(removal(publicKey))}`
