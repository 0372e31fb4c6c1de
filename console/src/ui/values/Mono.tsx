import { shortId } from '../../lib/ids'
import css from './Mono.module.css'

/** IDs, addresses, keys and paths within text. Always left to right. */
export const Mono = ({ children }: { children: string }) => (
  <bdi className={css.mono} dir="ltr">
    {children}
  </bdi>
)

/** The first eight characters of an ID, with the full ID on hover. */
export const ShortId = ({ id }: { id: string }) => (
  <bdi className={css.mono} dir="ltr" title={id}>
    {shortId(id)}
  </bdi>
)
