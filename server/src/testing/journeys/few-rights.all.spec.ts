import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { diskKind, disks } from '@mainstay/contract/infrastructure/disks'
import { hostFeatures } from '@mainstay/contract/infrastructure/host-features'
import { nodeInterfaces } from '@mainstay/contract/infrastructure/interfaces'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { signIn, type ApiClient } from '../api-client'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../server-program'
import { asRestrictedUser } from './ordinary-user'

describe('a server that an ordinary user starts', { timeout: 120_000, ...needs('QEMU') }, () => {
  let folder: string
  let program: ServerProgram
  let operator: ApiClient
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mainstay-rights-'))
    const { through = [], environment } = await asRestrictedUser(folder)
    program = await startProgram({ folder, hypervisor: 'qemu', through, environment })
    operator = await signIn(program.adminUrl, { username: 'admin', password: ADMIN_PASSWORD })
  }, 180_000)
  afterAll(async () => {
    await program?.kill()
    await removeData(folder)
  })

  const here = async () => (await operator.call(nodes.list)).data.find(({ is_primary }) => is_primary)!

  const userId = () => /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))![1]

  it('shows its host with the facts that need no root privileges', async () => {
    expect(userId()).not.toBe('0')
    await expect.poll(async () => (await here()).seen_at, { timeout: 60_000 }).not.toBeNull()
    const node = await here()
    expect(node).toMatchObject({
      ...{ host: hostname(), is_online: true, is_assigned: true },
      link: { by: 'local', rights: 'none', problem: null },
      cpu: { threads: expect.any(Number) as number },
      ...{ kernel: expect.any(String) as string, os: expect.any(String) as string },
    })
    expect(node.ram!.total).toBeGreaterThan(0)
    expect(node.cpu!.threads).toBeGreaterThan(0)
    const interfaces = await operator.call(nodeInterfaces.list, { params: { node_id: node.id } })
    expect(interfaces.data.map(({ name }) => name)).not.toContain('lo')
    for (const disk of (await operator.call(disks.list, { params: { node_id: node.id } })).data)
      expect(disk, diskKind.name).toMatchObject({ smart_status: 'unknown', temperature: null })
  })

  it('tells what needs more rights, with the command that grants them', async () => {
    const node = await here()
    const { features, reason } = await operator.call(hostFeatures.list, { params: { id: node.id } })
    expect(reason).toBeNull()
    const named = (name: string) => features.find((one) => one.name === name)
    const accounts = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
    const [user] = accounts.find(([, , uid]) => uid === userId())!
    expect(named('privileges')).toMatchObject({
      state: 'missing',
      gaps: [{ command: `echo "${user} ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay` }],
    })
    expect(named('disk_health')?.state).toBe('missing')
    expect(named('virtual_machines')).toMatchObject({ detail: expect.stringContaining('QEMU') as string })
    // which other features are missing depends on the host, but none is missing without a reason
    for (const { name, state, gaps } of features) {
      expect(gaps.length === 0, name).toBe(state === 'available')
      for (const gap of gaps) expect(gap.reason.message, name).not.toBe('')
    }
    for (const name of ['storage', 'networks', 'vpn', 'metrics', 'uefi']) expect(named(name), name).toBeDefined()
  })
})
