import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../../../tools/lib/vitest/host-features'
import { openSshLink, type SshTarget } from './ssh-link'
import { linkConformance } from './testing/conformance/link'
import { startSshd, type TestSshd } from './testing/sshd'

describe('over a real SSH server', needs('sshd', 'cockpit-bridge'), () => {
  let sshd: TestSshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(() => sshd.close())
  const open = (change: Partial<SshTarget> = {}) =>
    openSshLink({ ...sshd.target, ...change }, AbortSignal.timeout(60_000))

  linkConformance('ssh', open)

  it('refuses a host whose key is not the pinned one', async () => {
    await expect(open({ hostKey: sshd.key('other').publicKey })).rejects.toMatchObject({
      ...{ reason: 'host_key_changed', said: { key: 'infrastructure.host_key_changed' } },
    })
  })

  it('reports that the host does not accept the key', async () => {
    await expect(open({ privateKey: sshd.key('stranger').privateKey })).rejects.toMatchObject({
      ...{ reason: 'refused_key', said: { key: 'infrastructure.host_key_refused' } },
    })
  })

  it('reports that no SSH server listens', async () => {
    await expect(open({ port: 1 })).rejects.toMatchObject({ reason: 'unreachable' })
  })

  it('reports a host without cockpit-bridge', async () => {
    const bare = await startSshd({ command: 'no-such-bridge' })
    try {
      await expect(openSshLink(bare.target, AbortSignal.timeout(60_000))).rejects.toMatchObject({
        ...{ reason: 'no_bridge', said: { key: 'infrastructure.host_bridge_missing' } },
      })
    } finally {
      await bare.close()
    }
  })
})
