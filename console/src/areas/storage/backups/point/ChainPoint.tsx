import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { classes } from '../../../../lib/classes'
import { Link } from '../../../../nav/Link'
import { Bytes } from '../../../../ui/values/Bytes'
import { backupTypeText } from '../backup-words'
import css from './ChainPoint.module.css'
import { volumeBackupResource } from '../resource'

interface ChainPointProps {
  point: VolumeBackup
  /** The recovery point whose details are shown. */
  isThis?: boolean
  /** It needs the recovery point whose details are shown. */
  isDependent?: boolean
}

/** A recovery point in a chain: its name, linked to its details, when it was created, its type and its stored size. */
export function ChainPoint({ point, isThis = false, isDependent = false }: ChainPointProps) {
  const t = useT('storage')
  const format = useFormat()
  const { id, name, taken_at: taken, stored_size: size, damaged_by: damagedBy } = point
  return (
    <li
      className={classes(css.point, isThis && css.current, isDependent && css.dependent)}
      aria-current={isThis || undefined}
    >
      {isThis ? (
        <span className={css.name}>{t('backups.chain.this')}</span>
      ) : (
        <Link to={volumeBackupResource.paths.view(id)} className={css.name} dir="auto">
          {name}
        </Link>
      )}
      <bdi>{format.dateTime(taken)}</bdi>
      <span className={css.note}>{backupTypeText(point, t)}</span>
      <span className={css.note}>{size === null ? '–' : <Bytes of={size} />}</span>
      {damagedBy === id && <span className={css.damaged}>{t('backups.damaged')}</span>}
    </li>
  )
}
