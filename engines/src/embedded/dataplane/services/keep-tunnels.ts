import { readKernel } from '../../../host/programs'
import type { Log } from '../../../ports/records'
import type { TellCause } from '../apply/tell-cause'
import type { Capsule } from '../capsule/capsule'
import type { VpnPlan } from '../../../network-model/compile/plan'
import { waitingCounterOf, type Esp } from '../../../network-model/compile/vpns'
import type { TunnelReport } from '../../../network-model/wanted-vpns'
import type { FolderOf } from './balancers'
import { openTunnels, type Tunnels } from './tunnels'

/* Monitors the tunnels of all routers, once a second. */

const EVERY_MS = 1_000

interface Given {
  capsule: Capsule
  folderOf: FolderOf
  esp: Esp
  log: Log
  tell: TellCause
}

export interface KeptTunnels {
  /** Applies the plans. Returns faults by connection ID. */
  keep(plans: readonly VpnPlan[]): Promise<Map<string, string>>
  reports(): Map<string, TunnelReport>
  restart(connectionId: string): Promise<void>
  close(): Promise<void>
}

export function keepTunnels({ capsule, folderOf, esp, log, tell }: Given): KeptTunnels {
  const kept = new Map<string, Tunnels>()
  const turns = new Map<Tunnels, Promise<unknown>>()
  const looking = new Set<Tunnels>()
  let isClosed = false

  /**
   * Serializes actions per router, so that a check never sees a half-loaded state. Routers do not wait for each other.
   */
  function inTurn<Result>(tunnels: Tunnels, act: () => Promise<Result>): Promise<Result> {
    const result = (turns.get(tunnels) ?? Promise.resolve()).then(act)
    turns.set(
      tunnels,
      result.catch(() => undefined),
    )
    return result
  }

  async function lookAt(tunnels: Tunnels): Promise<void> {
    if (isClosed) return
    const waits = tunnels.counts ? await waitingIn(capsule, tunnels.plan).catch(() => null) : null
    await tunnels.look(waits)
  }

  const timer = setInterval(() => {
    if (isClosed) return
    for (const tunnels of kept.values()) {
      if (looking.has(tunnels)) continue
      looking.add(tunnels)
      // skip a router whose previous check is still running
      void inTurn(tunnels, () => lookAt(tunnels))
        .catch((error: Error) => {
          if (isClosed) return
          tunnels.lost('The strongSwan of its router stopped and is being restarted')
          log.info({ error: error.message }, 'failed to check the tunnels of a router')
        })
        .finally(() => looking.delete(tunnels))
    }
  }, EVERY_MS).unref()

  return {
    async keep(plans) {
      const faults = new Map<string, string>()
      for (const [key, tunnels] of kept) {
        if (plans.some((plan) => plan.key === key)) continue
        tunnels.close()
        kept.delete(key)
        turns.delete(tunnels)
      }
      await Promise.all(
        plans.map(async (plan) => {
          const tunnels = kept.get(plan.key) ?? openTunnels({ plan, folder: folderOf(plan.key), esp })
          kept.set(plan.key, tunnels)
          const follow = () => {
            tunnels.plan = plan
            return tunnels.follow()
          }
          const found = await inTurn(tunnels, follow).catch((error: Error) => {
            const fault = tell('strongSwan does not respond', error.message)
            return new Map(plan.connections.map(({ id }) => [id, fault]))
          })
          for (const [id, fault] of found) faults.set(id, fault)
        }),
      )
      return faults
    },
    reports: () => new Map([...kept.values()].flatMap((tunnels) => tunnels.reports())),
    async restart(id) {
      const whose = [...kept.values()].find(({ plan }) => plan.connections.some((it) => it.id === id))
      if (whose) await inTurn(whose, () => whose.restart(id))
    },
    async close() {
      isClosed = true
      clearInterval(timer)
      await Promise.all(turns.values())
      for (const tunnels of kept.values()) tunnels.close()
    },
  }
}

/** Returns the number of packets that waited for a tunnel, by connection ID, as counted by the router's rules. */
async function waitingIn(capsule: Capsule, { space, connections }: VpnPlan): Promise<Map<string, number>> {
  const said = await readKernel([...capsule.enter(), 'sh'], `nsenter --net=/run/netns/${space} nft -j list counters\n`)
  const { nftables } = JSON.parse(said) as { nftables: { counter?: { name: string; packets: number } }[] }
  const counted = new Map(
    nftables.flatMap(({ counter }) => (counter ? [[counter.name, counter.packets] as const] : [])),
  )
  return new Map(connections.map(({ id }) => [id, counted.get(waitingCounterOf(id)) ?? 0]))
}
