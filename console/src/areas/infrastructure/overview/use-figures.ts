import type { ManagementBackup } from '@mainstay/contract/infrastructure/management-backup'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { StorageTier } from '@mainstay/contract/infrastructure/tiers'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useNow } from '../../../lib/use-now'
import { nodeStatusText } from '../nodes/node-status'
import { nodePaths } from '../nodes/paths'
import { healthOf } from './node-health'
import { firstFull, fullText, tierTone } from './tier-words'
import type { Tile } from './Tiles'

interface Given {
  nodes: readonly Node[]
  tiers: readonly StorageTier[]
  backup: ManagementBackup | undefined
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Returns the tiles of the overview. Numbers that are not known have no tile. */
export function useFigures({ nodes, tiers, backup }: Given): Tile[] {
  const t = useT('infrastructure')
  const words = useT('nodes')
  const format = useFormat()
  const now = useNow()
  const [only] = nodes.length === 1 ? nodes : []

  const healthTile = (): Tile | null => {
    if (nodes.length === 0) return null
    if (only) {
      const { id, status, booted_at: booted } = only
      const up = booted === null ? undefined : format.duration(Math.max(0, now - Date.parse(booted)))
      return {
        ...{ label: t('tiles.host'), value: nodeStatusText(status, words), to: nodePaths.view(id) },
        tone: healthOf(only),
        note: up && only.is_online ? t('tiles.host.up', { time: up }) : undefined,
      }
    }
    const healthy = nodes.filter((node) => healthOf(node) === 'ok').length
    const isFailed = nodes.some((node) => healthOf(node) === 'bad')
    return {
      ...{ label: t('tiles.nodes'), value: t('tiles.of', { count: healthy, total: nodes.length }) },
      ...{ note: t('tiles.nodes.healthy'), to: nodePaths.list() },
      tone: isFailed ? 'bad' : healthy < nodes.length ? 'warn' : 'ok',
    }
  }

  const disksTile = (): Tile | null => {
    const total = sum(nodes.map(({ spaces }) => spaces.disks))
    const failed = sum(nodes.map(({ spaces }) => spaces.failed_disks))
    if (total === 0) return null
    return {
      ...{ label: t('tiles.disks'), value: t('tiles.of', { count: total - failed, total }) },
      ...{ note: failed > 0 ? t('tiles.disks.failed', { count: failed }) : t('tiles.disks.work') },
      to: only ? nodePaths.tab(only.id, 'disks') : nodePaths.list(),
      tone: failed > 0 ? 'bad' : 'ok',
    }
  }

  const memoryTile = (): Tile | null => {
    const known = nodes.flatMap(({ ram, is_online }) => (ram && is_online ? [ram] : []))
    const total = sum(known.map((ram) => ram.total))
    const free = sum(known.map((ram) => ram.available))
    if (total === 0) return null
    const share = (total - free) / total
    return {
      ...{
        label: t('tiles.memory'),
        value: t('tiles.memory.used', { share: format.percent(share, 0), total: format.bytes(total) }),
      },
      share,
      ...{ note: t('tiles.free', { size: format.bytes(free) }), to: only ? nodePaths.view(only.id) : nodePaths.list() },
    }
  }

  const storageTile = (): Tile | null => {
    const first = firstFull(tiers)
    if (!first) return null
    const used = sum(tiers.map((tier) => tier.used))
    const total = sum(tiers.map((tier) => tier.total))
    return {
      ...{
        label: t('tiles.storage'),
        value: t('tiers.used', { used: format.bytes(used), total: format.bytes(total) }),
      },
      ...{ share: total > 0 ? used / total : 0, tone: tierTone(first), to: '/compute/volumes' },
      note:
        first.full_at === null
          ? t('tiles.free', { size: format.bytes(total - used) })
          : t(first.store === 'ceph' ? 'tiles.storage.tierInCeph' : 'tiles.storage.tier', {
              ...{ tier: first.tier, text: fullText(first, t, format) },
            }),
    }
  }

  const backupTile = (): Tile | null => {
    if (!backup) return null
    const { ready, overdue, last_backup_date: last } = backup
    return {
      ...{ label: t('backup.title'), to: '/infrastructure/backup' },
      value: last !== null ? format.relative(last) : t(ready ? 'backup.first' : 'backup.unset'),
      tone: last !== null && !overdue ? 'ok' : 'warn',
      note: overdue ? t('backup.overdue') : backup.on_same_disk ? t('tiles.backup.sameDisk') : undefined,
    }
  }

  return [healthTile(), disksTile(), memoryTile(), storageTile(), backupTile()].filter((tile) => tile !== null)
}
