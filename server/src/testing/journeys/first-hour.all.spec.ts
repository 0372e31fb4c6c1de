import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { alerts } from '@mainstay/contract/monitoring/alerts'
import { floatingIps } from '@mainstay/contract/networking/floating-ips'
import { networks } from '@mainstay/contract/networking/networks'
import { ports } from '@mainstay/contract/networking/ports'
import { reach } from '@mainstay/contract/networking/reach'
import { routers } from '@mainstay/contract/networking/routers'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import { openAnotherHost, type AnotherHost } from '@mainstay/engines/embedded/dataplane/testing/another-host'
import { guestImage } from '@mainstay/engines/embedded/qemu/testbed'
import { afterEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { signIn, type ApiClient } from '../api-client'
import { ADMIN_PASSWORD, removeData, startProgram, type ServerProgram } from '../server-program'
import { asOrdinaryUser } from './ordinary-user'
import { insideHost, type InsideHost } from './inside-host'

/* A new member's first hour on a new installation. Another host, simulated by the test, acts as the internet. */

let host: AnotherHost | undefined
let inside: InsideHost | undefined
let folder: string | undefined
let program: ServerProgram | undefined
afterEach(async () => {
  await program?.kill()
  if (folder !== undefined) await removeData(folder)
  await inside?.close()
  host?.end()
  host = inside = folder = program = undefined
})

/**
 * Guest script: resolves a name, fetches a page from the server with that name, and serves the results with the guest's
 * web server.
 */
const script = `#!/bin/sh
until ip -4 addr show eth0 | grep -q inet; do sleep 0.2; done
found=$(nslookup site.example 2>/dev/null | sed -n 's/^Address.*: *\\([0-9.]*\\)$/\\1/p' | tail -n 1)
echo "outside is $found, $(nc -w 9 site.example 8080 </dev/null)" | tee /www/outside
`

/** Polls until `look` returns a result. Guests without KVM take minutes. */
async function soon<Found>(what: string, look: () => Promise<Found | null | undefined | false>): Promise<Found> {
  for (const end = Date.now() + 5 * 60_000; Date.now() < end; await pause(500)) {
    const found = await look().catch(() => null)
    if (found) return found
  }
  throw new Error(`timed out: ${what}`)
}

const IDLE_MS = 10 * 60_000

describe('an empty installation', { timeout: 40 * 60_000, ...needs('root', 'QEMU', 'networks') }, () => {
  test.for([
    { as: 'root', isOrdinary: false },
    { as: 'an ordinary user', isOrdinary: true },
  ])(
    'started as $as, gives a new member a virtual machine with internet access and a public page, without an operator',
    async ({ isOrdinary }) => {
      host = await openAnotherHost()
      inside = await insideHost(host)
      folder = await mkdtemp(path.join(tmpdir(), 'mainstay-hour-'))
      const { through = [], environment } = isOrdinary ? await asOrdinaryUser(folder) : { environment: {} }
      program = await startProgram({
        ...{ folder, hypervisor: 'qemu', readyWithinMs: 10 * 60_000, through: [...inside.words, ...through] },
        // alerts on metrics require metrics
        environment: { ...environment, MAINSTAY_SAMPLE_IMAGE: guestImage(), MAINSTAY_METRICS_URL: '' },
      })
      const url = await inside.reach(program.url)
      const member = await newMember(url)

      const image = await soon('the sample image', async () => (await member.call(images.list)).data.find(isActive))
      const create = (name: string, network: string) =>
        member.call(instances.create, {
          body: {
            ...{ name, flavor: 's1.nano', networks: [{ id: network }], volumes: [bootOf(image.id)] },
            user_data: Buffer.from(script).toString('base64'),
          },
        })
      // the network that the form preselects: the first active one that is not external
      const offered = (await member.call(networks.list)).data
      const proposed = offered.find(({ router_external, status }) => !router_external && status === 'ACTIVE')!
      const first = await create('first', proposed.id)
      const said = `outside is ${host.neighbour4}, internet ::ffff:${host.own4}`
      await soon('the first machine to reach outside', async () => (await logOf(member, first.id)).includes(said))
      const idleSince = Date.now()

      const outside = offered.find(({ router_external }) => router_external)!
      const own = await member.call(networks.createPrivate, {
        body: { name: 'front', subnets: [{ cidr: '192.168.0.0/24' }] },
      })
      await member.call(routers.create, {
        body: {
          ...{ name: 'edge', external_gateway_info: { network_id: outside.id } },
          internal_interfaces: [{ network_id: own.id }],
        },
      })
      const web = await create('web', own.id)
      await soon('its router to lead outside', async () => (await logOf(member, web.id)).includes(said))

      const [card] = (await member.call(ports.list, { query: { device_id: web.id } })).data
      const body = { floating_network_id: outside.id, port_id: card!.id }
      const floating = await member.call(floatingIps.create, { body })
      const asked = { protocol: 'tcp' as const, port: 80 }
      const question = { source: { address: '192.0.2.99' }, destination: { port_id: card!.id }, ...asked }
      const refused = await member.call(reach.ask, { body: question })
      expect(refused.verdict).toBe('refused')
      await member.call(securityGroupRules.create, { body: refused.steps.at(-1)!.missing_rule! })
      const open = await member.call(floatingIps.publish, { params: { id: floating.id }, body: asked })
      const [{ host_address, host_port } = { host_address: '', host_port: 0 }] = open.published_ports!
      expect((await member.call(reach.ask, { body: question })).verdict).toBe('allowed')
      const page = await inside.reach(`http://${host_address}:${host_port}`)
      expect(await soon('the page', async () => (await fetch(`${page}/outside`)).text())).toBe(`${said}\n`)

      await pause(Math.max(0, idleSince + IDLE_MS - Date.now()))
      expect((await member.call(alerts.list)).data).toEqual([])
    },
  )
})

const isActive = ({ status }: { status: string }) => status === 'active'
const bootOf = (id: string) => ({ source: 'image' as const, id, size: 1024 ** 3, boot_index: 0 })

const logOf = async (member: ApiClient, id: string) => (await member.fetch(instances.log, { params: { id } })).text()

/** An operator creates a project with one member, who does everything else. */
async function newMember(url: string): Promise<ApiClient> {
  const operator = await signIn(url, { username: 'admin', password: ADMIN_PASSWORD })
  const params = { domain_id: 'default' }
  const { id: project_id } = await operator.call(projects.create, { params, body: { name: 'shop' } })
  const person = { name: 'mike', password: 'correct horse 13' }
  await operator.call(users.create, {
    params,
    body: { ...person, assigned_projects: [{ project_id, role: 'project_member' }] },
  })
  return signIn(url, { username: person.name, password: person.password, domain: 'default', project: 'shop' })
}
