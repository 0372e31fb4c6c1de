import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { NextIcon } from '../../../ui/icons'
import { s3Paths } from '../paths'
import { visible } from './file-row'
import css from './files.module.css'

/** With more folders than these the middle of the way is left out. */
const MOST_STEPS = 5

interface Step {
  name: string
  /** Undefined in the place of those that are left out. */
  path: string | undefined
}

/** The way to a folder, from the bucket on. */
export function stepsOf(bucket: string, path: string): Step[] {
  const names = path.split('/').slice(0, -1)
  const steps: Step[] = [
    { name: bucket, path: '' },
    ...names.map((name, at) => ({ name, path: `${names.slice(0, at + 1).join('/')}/` })),
  ]
  if (steps.length <= MOST_STEPS) return steps
  return [...steps.slice(0, 2), { name: '…', path: undefined }, ...steps.slice(-(MOST_STEPS - 3))]
}

/** Where one is; the list of buckets and each folder above are links, the last one is text. */
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
