import { Mono } from './Mono'
import css from './CodeList.module.css'

/** Recovery codes, in several columns if there is room. */
export const CodeList = ({ codes }: { codes: readonly string[] }) => (
  <ul className={css.codes}>
    {codes.map((code) => (
      <li key={code}>
        <Mono>{code}</Mono>
      </li>
    ))}
  </ul>
)
