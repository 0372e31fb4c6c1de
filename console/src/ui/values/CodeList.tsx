import { Mono } from './Mono'
import css from './CodeList.module.css'

/** Codes to be kept, side by side where there is room. */
export const CodeList = ({ codes }: { codes: readonly string[] }) => (
  <ul className={css.codes}>
    {codes.map((code) => (
      <li key={code}>
        <Mono>{code}</Mono>
      </li>
    ))}
  </ul>
)
