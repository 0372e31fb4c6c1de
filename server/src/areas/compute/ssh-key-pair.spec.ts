import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { parsePublicKey } from '@mainstay/contract/compute/ssh-key-rules'
import { describe, expect, it } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { makeKeyPair } from './ssh-key-pair.service'

interface Key {
  comment: string
  toPublic(): Key
  fingerprint(hash: 'sha256'): { toString(): string }
}
// @ts-expect-error -- the package has no types
const loaded: unknown = await import('sshpk')
const { default: sshpk } = loaded as {
  default: Record<'parsePrivateKey' | 'parseKey', (text: string, format: string) => Key>
}
const run = promisify(execFile)

describe.each(['ed25519', 'ssh-rsa', 'ecdsa'] as const)('a generated %s key', (type) => {
  it('is a valid key pair of the requested type', async () => {
    // several rounds, because a number whose first bit is set needs a leading zero
    for (let round = 0; round < (type === 'ssh-rsa' ? 2 : 20); round += 1) {
      const { publicKey, privateKey } = await makeKeyPair(type, 'work laptop')
      expect(parsePublicKey(publicKey)).toMatchObject({ type, weak: false, comment: 'work laptop' })
      const read = sshpk.parsePrivateKey(privateKey, 'ssh-private')
      expect(read.toPublic().fingerprint('sha256').toString()).toBe(
        sshpk.parseKey(publicKey, 'ssh').fingerprint('sha256').toString(),
      )
      expect(read.comment).toBe('work laptop')
    }
  })

  it('can be read by OpenSSH', needs('ssh-keygen'), async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-keys-'))
    const { publicKey, privateKey } = await makeKeyPair(type, 'x')
    await writeFile(path.join(folder, 'key'), privateKey, { mode: 0o600 })
    const { stdout } = await run('ssh-keygen', ['-y', '-f', path.join(folder, 'key')])
    expect(stdout.trim().split(' ').slice(0, 2)).toEqual(publicKey.split(' ').slice(0, 2))
    await rm(folder, { recursive: true })
  })
})
