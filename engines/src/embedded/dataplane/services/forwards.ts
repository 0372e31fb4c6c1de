import { connect } from 'node:net'
import type { ForwardPlan } from '../../../network-model/compile/plan'
import { uplink } from '../../../network-model/uplink'
import type { TellCause } from '../apply/tell-cause'

/*
 * Published ports: slirp4netns listens on a loopback address of the host and forwards connections to the edge until it
 * exits. Its socket accepts one command per connection (slirp4netns(1), API SOCKET).
 */

interface Forward {
  id: number
  proto: string
  host_addr: string
  host_port: number
  guest_port: number
}

const withinMs = 5_000

async function order<Answer>(socket: string, execute: string, words: object = {}): Promise<Answer> {
  const answer = await new Promise<string>((resolve, reject) => {
    const client = connect(socket)
    let said = ''
    client.setTimeout(withinMs, () => client.destroy(new Error('the uplink of the virtual machines does not respond')))
    client.on('data', (data) => (said += data.toString('utf8')))
    client.once('error', reject).once('close', () => resolve(said))
    client.end(JSON.stringify({ execute, arguments: words }))
  })
  const read = JSON.parse(answer) as { return?: Answer; error?: { desc: string } }
  if (read.error) throw new Error(read.error.desc)
  // since version 1.2, lists are not wrapped in `return`
  return read.return ?? (read as Answer)
}

const keyOf = (proto: string, address: string, port: number, guestPort: number) =>
  `${proto} ${address} ${port} ${guestPort}`

/** Makes the uplink forward exactly these ports. Returns failures by floating IP address. */
export async function forward(
  socket: string,
  plans: readonly ForwardPlan[],
  tell: TellCause,
): Promise<Map<string, string>> {
  const faults = new Map<string, string>()
  const { entries } = await order<{ entries: Forward[] }>(socket, 'list_hostfwd')
  const wanted = new Map(
    plans.map((plan) => [keyOf(plan.protocol, plan.hostAddress, plan.hostPort, plan.edgePort), plan]),
  )
  const there = new Set<string>()
  for (const { id, proto, host_addr, host_port, guest_port } of entries) {
    const key = keyOf(proto, host_addr, host_port, guest_port)
    if (wanted.has(key)) there.add(key)
    else await order(socket, 'remove_hostfwd', { id })
  }
  for (const [key, { protocol, hostAddress, hostPort, edgePort, floatingAddress }] of wanted) {
    if (there.has(key)) continue
    try {
      await order(socket, 'add_hostfwd', {
        ...{ proto: protocol, host_addr: hostAddress, host_port: hostPort },
        ...{ guest_addr: uplink.address, guest_port: edgePort },
      })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      faults.set(floatingAddress, tell(`It could not be published at ${hostAddress}:${hostPort}`, why))
    }
  }
  return faults
}
