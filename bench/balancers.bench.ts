import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { requests, throughput, turnsOf } from '@mainstay/engines/embedded/dataplane/testing/balancer-traffic'
import { openRealBalancers, type Place, type RealBalancers } from '@mainstay/engines/embedded/testing/real-balancers'
import { runProgram } from '@mainstay/engines/host/programs'
import { quantile, type Row } from './protocol'
import { quick } from './support/quick'
import { withFolders } from './support/data-folder'

/**
 * Measures load balancers: the request rate, compared with HAProxy running directly on the host with the same
 * configuration and a local member, and the time from the API response until clients see a member change.
 */
export async function run(): Promise<Row[]> {
  const real = await openRealBalancers()
  if (!real) throw new Error('this host gives no networks')
  try {
    const [first, second, client] = [await real.web('first'), await real.web('second'), await real.machine('client')]
    return [await passing(real, first, client), await changing(real, [first, second], client)]
  } finally {
    await real.close()
  }
}

const rounds = quick ? 3 : 7
const [seconds, connections] = [2, 16]
const [hostPort, memberPort] = [28_080, 28_081]

async function passing(real: RealBalancers, member: Place, client: Place): Promise<Row> {
  const { address } = await real.create({
    pools: [
      {
        ...{ protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 8080, healthmonitor: { type: 'HTTP' } },
        members: [{ address: member.address }],
      },
    ],
  })
  return withFolders(async (newFolder) => {
    const config = configOf(real)
      .replace(/bind \S+:80$/m, `bind 127.0.0.1:${hostPort}`)
      .replaceAll(`${member.address}:8080`, `127.0.0.1:${memberPort}`)
    const host = await startOnHost(await newFolder(), config)
    try {
      const [through, direct]: number[][] = [[], []]
      for (let round = 0; round < rounds; round++) {
        through!.push(Number(await real.from(client, throughput(address, 80, seconds, connections))))
        direct!.push(Number(await runProgram(['sh', '-c', throughput('127.0.0.1', hostPort, seconds, connections)])))
      }
      return {
        ...{ name: 'load balancers, requests of HTTP', unit: 'per second', value: Math.max(...through!) },
        against: { name: 'HAProxy of the host', value: Math.max(...direct!) },
      }
    } finally {
      for (const one of host) one.kill('SIGKILL')
    }
  })
}

/** Returns the configuration of the capsule's only HAProxy process. */
function configOf({ bed }: RealBalancers): string {
  const folder = path.join(bed.folder, 'networks')
  const [own] = readdirSync(folder).filter((name) => name.startsWith('l-'))
  return readFileSync(path.join(folder, own!, 'config'), 'utf8')
}

async function startOnHost(folder: string, config: string): Promise<ChildProcess[]> {
  writeFileSync(path.join(folder, 'config'), config)
  const serve = `const seen = (request) => JSON.stringify(request.headers)
    require('node:http').createServer((request, reply) => { reply.setHeader('x-seen', seen(request)); reply.end('host\\n') }).listen(${memberPort}, '127.0.0.1')`
  const answers = async (port: number) => {
    for (let tries = 0; tries < 100; tries++, await pause(50))
      if ((await runProgram(['sh', '-c', requests(`http://127.0.0.1:${port}/`, 1)])).trim() === 'host') return
    throw new Error(`no server responds on port ${port} of the host`)
  }
  const member = spawn(process.execPath, ['-e', serve], { stdio: 'ignore' })
  await answers(memberPort)
  const proxy = spawn('haproxy', ['-db', '-m', '256', '-f', 'config'], { cwd: folder, stdio: 'ignore' })
  await answers(hostPort)
  return [member, proxy]
}

const changes = quick ? 10 : 40

async function changing(real: RealBalancers, members: [Place, Place], client: Place): Promise<Row> {
  const made = await real.create({
    pools: [
      {
        ...{ protocol: 'HTTP', protocol_port: 80, backend_protocol_port: 8080, healthmonitor: { type: 'HTTP' } },
        members: [{ address: members[0].address }],
      },
    ],
  })
  const stopFile = path.join(real.bed.folder, 'enough')
  rmSync(stopFile, { force: true })
  const turns = real.from(client, turnsOf(made.address, stopFile))
  await pause(1000)
  const answered: number[] = []
  for (let at = 1; at <= changes; at++) {
    await real.changePool(made.pools[0]!.id, { members: [{ address: members[at % 2]!.address }] })
    answered.push(Date.now())
    await pause(500)
  }
  writeFileSync(stopFile, '')
  const seen = (await turns).split('\n').map((line) => Number.parseInt(line))
  if (seen.length !== changes + 1) throw new Error(`${seen.length - 1} changes were seen of ${changes}`)
  const took = answered.map((time, at) => Math.max(0, seen[at + 1]! - time))
  return { name: 'load balancers, a member changed is seen: median', unit: 'ms', value: quantile(took, 0.5) }
}
