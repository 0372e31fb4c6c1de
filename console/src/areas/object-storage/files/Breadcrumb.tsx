import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { NextIcon } from '../../../ui/icons'
import { s3Paths } from '../paths'
import { visible } from './file-row'
import css from './files.module.css'

/** Longer paths are shortened in the middle. */
const MOST_STEPS = 5

interface Step {
  name: string
  /** Path that the step leads to; undefined for the ellipsis. */
  path: string | undefined
}

/** The path to a folder, starting with the bucket. */
export function stepsOf(bucket: string, path: string): Step[] {
  const names = path.split('/').slice(0, -1)
  const steps: Step[] = [
    { name: bucket, path: '' },
    ...names.map((name, at) => ({ name, path: `${names.slice(0, at + 1).join('/')}/` })),
  ]
  if (steps.length <= MOST_STEPS) return steps
  return [...steps.slice(0, 2), { name: '…', path: undefined }, ...steps.slice(-(MOST_STEPS - 3))]
}

/** Breadcrumb with links to the bucket list and each parent folder; the current folder is plain text. */
export function Breadcrumb({ bucket, path }: { bucket: string; path: string }) {
  const t = useT('objectStorage')
  const steps = stepsOf(bucket, path)
  return (
    <nav aria-label={t('files.way')} className={css.way}>
      <ol>
        <li>
          <Link to={s3Paths.buckets()}>{t('buckets.title')}</Link>
        </li>
        {steps.map(({ name, path: to }, at) => (
          <li key={to ?? 'left out'}>
            <NextIcon />
            {at === steps.length - 1 || to === undefined ? (
              <bdi {...(at === steps.length - 1 && { 'aria-current': 'page' })}>{visible(name) || '/'}</bdi>
            ) : (
              <Link to={s3Paths.files(bucket)} search={to === '' ? {} : { path: to }} dir="auto">
                {visible(name) || '/'}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
