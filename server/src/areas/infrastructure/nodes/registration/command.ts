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
 * SHA-256 of the public key of our own certificate, in the form that curl accepts. Null if a known authority signed it,
 * or the address is that of a proxy, which has a certificate of its own.
 */
function pinOf({ certificate, config }: CommandTools, address: URL): string | null {
  const pair = certificate.pair()
  if (!pair || address.protocol !== 'https:' || certificate.about(null).source !== 'self-signed') return null
  const own = new X509Certificate(pair.cert)
  if (config.adminAddress !== null && !isOwnAddress(own, address, config.adminPort)) return null
  const key = own.publicKey.export({ type: 'spki', format: 'der' })
  return `sha256//${createHash('sha256').update(key).digest('base64')}`
}

/** Whether an address that was set is that of the server itself: the certificate is for it, and the port is ours. */
function isOwnAddress(own: X509Certificate, { hostname: name, port }: URL, adminPort: number): boolean {
  const host = name.replace(/^\[|\]$/g, '')
  const isNamed = (isIP(host) ? own.checkIP(host) : own.checkHost(host)) !== undefined
  return isNamed && Number(port || HTTPS_PORT) === adminPort
}

const HTTPS_PORT = 443

/** Where other hosts reach this server, as far as it knows: the address that it is bound to, or else its name. */
function ownHost({ host }: Pick<Config, 'host'>): string {
  const isAnyOrHere = ['0.0.0.0', '::'].includes(host) || isOfLoopback(host)
  return isAnyOrHere ? hostname() : host.includes(':') ? `[${host}]` : host
}

/**
 * The command that is run as root on a host to register it. A certificate that no authority has signed is compared with
 * its fingerprint, so that no attacker can replace the script; without encryption, there is a warning.
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

/** The part of a public key that identifies it. */
const blobOf = (publicKey: string): string => publicKey.split(' ')[1]!

/** Removes the key of the installation from `authorized_keys` of the account that runs it. */
const removal = (publicKey: string): string => `sed -i '\\,${blobOf(publicKey)},d' "$HOME/.ssh/authorized_keys"`

/** Shell command, to be run by the account itself, that removes our key. */
export const removeKey = (publicKey: string): readonly string[] => ['sh', '-c', removal(publicKey)]

/** The same for an operator on the host. */
export const removalCommand = (publicKey: string, user: string): string =>
  `sudo -u ${user} sh -c ${quoted(removal(publicKey))}`
