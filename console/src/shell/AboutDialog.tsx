import { session } from '@mainstay/contract/identity/session'
import { useView } from '../api/use-view'
import { problemText } from '../api/problem-text'
import { useT } from '../i18n/use-t'
import { Facts } from '../patterns/Facts'
import { Dialog } from '../ui/overlays/Dialog'
import { ErrorPanel } from '../ui/feedback/ErrorPanel'
import { Skeleton } from '../ui/feedback/Skeleton'
import { useBrand } from './product'
import css from './AboutDialog.module.css'

/** Which version this is, and where to read more. */
export default function AboutDialog({ onClose }: { onClose: () => void }) {
  const t = useT('shell')
  const { productName, links } = useBrand()
  const about = useView(session.about, {})
  const { product, 'storage-release': api } = about.data ?? {}
  const given = (['docs', 'support', 'terms', 'product'] as const).filter((name) => links[name] !== null)
  return (
    <Dialog isOpen title={t('about.title', { product: productName })} onClose={onClose}>
      {about.problem ? (
        <ErrorPanel title={problemText(about.problem, t)} onRetry={about.reload} id={about.problem.requestId} />
      ) : (
        <Facts
          rows={[
            [t('about.version'), product ? product.version : <Skeleton key="version" width="96px" />],
            [t('about.release'), api ? api.release : <Skeleton key="release" width="96px" />],
            [t('about.api'), api ? api.version : <Skeleton key="api" width="96px" />],
          ]}
        />
      )}
      {given.length > 0 && (
        <ul className={css.links} aria-label={t('about.links')}>
          {given.map((name) => (
            <li key={name}>
              <a href={links[name] ?? ''} target="_blank" rel="noreferrer">
                {t(`about.${name}`)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
