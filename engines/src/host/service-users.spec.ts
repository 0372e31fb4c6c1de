import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { expect, test } from 'vitest'
import { commandAs, serviceUser, type Service } from './service-users'

const services: Service[] = ['db', 'vm', 'files', 'dns', 'metadata', 'lb', 'vpn', 'metrics']
const isRoot = process.getuid?.() === 0

/** Returns the status of a process started with this command, as reported by the kernel. */
function statusOf(command: { file: string; args: string[] }): Map<string, string> {
  const { stdout, stderr } = spawnSync(command.file, command.args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  return new Map(stdout.split('\n').map((line) => line.split(/:\s*/, 2) as [string, string]))
}

test('a root server runs each service as its own system user; otherwise services run as the server user', async () => {
  const users = await Promise.all(services.map(serviceUser))
  if (!isRoot) {
    expect(users).toEqual(services.map(() => null))
    return
  }
  expect(users.map((user) => user?.name)).toEqual(services.map((service) => `mainstay-${service}`))
  const numbers = users.map((user) => user!.uid)
  expect(new Set([...numbers, 0, 65534]).size).toBe(services.length + 2)
  for (const { name } of users as { name: string }[])
    expect(new RegExp(`^${name}:.*:/usr/sbin/nologin$`, 'm').test(readFileSync('/etc/passwd', 'utf8'))).toBe(true)
})

test('a service process has no capabilities or supplementary groups, and cannot gain any', async () => {
  const user = await serviceUser('files')
  const status = statusOf(commandAs(user, '/bin/cat', ['/proc/self/status']))
  const ids = (name: string) => [...new Set(status.get(name)!.trim().split(/\s+/))]
  if (user) {
    expect([ids('Uid'), ids('Gid'), status.get('Groups')?.trim()]).toEqual([[`${user.uid}`], [`${user.gid}`], ''])
    expect(status.get('NoNewPrivs')).toBe('1')
    expect(status.get('CapBnd')).toMatch(/^0+$/)
  } else expect(ids('Uid')).toEqual([`${process.getuid?.()}`])
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(status.get(set), set).toMatch(/^0+$/)
})
