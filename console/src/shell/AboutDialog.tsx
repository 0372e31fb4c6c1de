import { aboutLinks, session } from '@mainstay/contract/identity/session'
import { useView } from '../api/use-view'
import { problemText } from '../api/problem-text'
import { useT } from '../i18n/use-t'
import { rootPath } from '../lib/root-path'
import { Facts } from '../patterns/Facts'
import { Dialog } from '../ui/overlays/Dialog'
import { ErrorPanel } from '../ui/feedback/ErrorPanel'
import { Skeleton } from '../ui/feedback/Skeleton'
import { useBrand } from './product'
import css from './AboutDialog.module.css'

/** Shows the product version and links to further information. */
export default function AboutDialog({ onClose }: { onClose: () => void }) {
  const t = useT('account')
  const shell = useT('shell')
  const { productName } = useBrand()
  const about = useView(session.about, {})
  const { product, 'storage-release': api, links = {} } = about.data ?? {}
  const given = aboutLinks.flatMap((name) => (links[name] === undefined ? [] : [[name, links[name]] as const]))
  return (
    <Dialog isOpen title={t('about.title', { product: productName })} onClose={onClose}>
      {about.problem ? (
        <ErrorPanel title={problemText(about.problem, shell)} onRetry={about.reload} id={about.problem.requestId} />
      ) : (
        <Facts
          rows={[
            [t('about.version'), product ? product.version : <Skeleton key="version" width="96px" />],
            [t('about.release'), api ? api.release : <Skeleton key="release" width="96px" />],
            [t('about.api'), api ? api.version : <Skeleton key="api" width="96px" />],
          ]}
        />
      )}
      <ul className={css.links} aria-label={t('about.links')}>
        {given.map(([name, address]) => (
          <li key={name}>
            <a href={address} target="_blank" rel="noreferrer">
              {t(`about.${name}`)}
            </a>
          </li>
        ))}
        <li>
          <a href={`${rootPath}api/v2/docs`} target="_blank" rel="noreferrer">
            {t('about.reference')}
          </a>
        </li>
      </ul>
    </Dialog>
  )
}
