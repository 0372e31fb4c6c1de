import { shownName } from '@mainstay/contract/storage/backup-file-paths'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { NextIcon } from '../../../../ui/icons'
import css from './files.module.css'

interface FolderPathProps {
  /** Name of the file system. */
  name: string
  path: string
  to: string
  /** Query parameters for a folder. */
  searchOf: (path: string) => Readonly<Record<string, string>>
}

/** The path to a folder, starting with the file system. The current folder is plain text. */
export function FolderPath({ name, path, to, searchOf }: FolderPathProps) {
  const t = useT('storage')
  const parts = path.split('/').filter((part) => part !== '')
  const steps = [
    { name, path: '/' },
    ...parts.map((part, index) => ({ name: shownName(part), path: `/${parts.slice(0, index + 1).join('/')}` })),
  ]
  return (
    <nav aria-label={t('backups.files.path')} className={css.path}>
      <ol>
        {steps.map((step, index) => (
          <li key={step.path}>
            {index > 0 && <NextIcon />}
            {index === steps.length - 1 ? (
              <bdi aria-current="page">{step.name}</bdi>
            ) : (
              <Link to={to} search={searchOf(step.path)} dir="auto">
                {step.name}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
