import { shortId } from '../../lib/ids'
import css from './Mono.module.css'

/** Ids, addresses, keys, paths in a line of text. Always left to right. */
export const Mono = ({ children }: { children: string }) => (
  <bdi className={css.mono} dir="ltr">
    {children}
  </bdi>
)

/** An id in a list: its first eight characters, the whole on hover. */
export const ShortId = ({ id }: { id: string }) => (
  <bdi className={css.mono} dir="ltr" title={id}>
    {shortId(id)}
  </bdi>
)
