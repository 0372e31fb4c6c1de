import { createHash, X509Certificate } from 'node:crypto'
import { hostname } from 'node:os'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import type { CallRequest } from '../../../../http/serve'
import type { Tools } from '../../../../tools'

type CommandTools = Pick<Tools, 'certificate' | 'config' | 'consoleAddresses'>

/** SHA-256 of the public key of our own certificate, in the form that curl accepts. Null if a known authority signed it. */
function pinOf({ certificate, config }: CommandTools): string | null {
  const pair = certificate.pair()
  // a proxy in front of the server has a certificate of its own
  if (!pair || config.adminAddress !== null || certificate.about(null).source !== 'self-signed') return null
  const key = new X509Certificate(pair.cert).publicKey.export({ type: 'spki', format: 'der' })
  return `sha256//${createHash('sha256').update(key).digest('base64')}`
}

/**
 * The command that is run as root on a host to register it. A certificate that no authority has signed is compared with
 * its fingerprint, so that no attacker can replace the script.
 */
export function registrationCommand(tools: CommandTools, request: CallRequest, token: string): string {
  const { config, certificate, consoleAddresses } = tools
  const scheme = certificate.pair() ? 'https' : 'http'
  const address = consoleAddresses.of('admin', request) ?? `${scheme}://${hostname()}:${config.adminPort}`
  const pin = pinOf(tools)
  const curl = ['curl', '-fsS', ...(pin === null ? [] : ['-k', '--pinnedpubkey', quoted(pin)])]
  const given = [address, token, ...(pin === null ? [] : [pin])].map(quoted).join(' ')
  return `${curl.join(' ')} ${quoted(`${address}${nodeRegistration.script.path}`)} | sudo sh -s -- ${given}`
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
