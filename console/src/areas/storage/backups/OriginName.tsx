import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import css from './OriginName.module.css'
import type { Found } from './use-named'

interface OriginNameProps {
  /** The name when the recovery point was created. */
  name: string
  found: Found
  /** Path of its details; undefined without permission to open them. */
  to: string | undefined
  tabIndex: 0 | -1
}

/** The name of an object that a recovery point refers to: a link, or plain text if the object has been deleted. */
export function OriginName({ name, found, to, tabIndex }: OriginNameProps) {
  const t = useT('storage')
  if (found !== null && to !== undefined)
    return (
      <Link to={to} dir="auto" tabIndex={tabIndex}>
        {found?.name ?? name}
      </Link>
    )
  return (
    <span>
      <bdi>{found?.name ?? name}</bdi>
      {found === null && <span className={css.deleted}> {t('backups.deleted')}</span>}
    </span>
  )
}
