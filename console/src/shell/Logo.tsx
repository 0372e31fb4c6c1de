/** The place for a brand's own sign: a keel and a stay, the neutral one. */
export const Logo = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 28 28" fill="none" aria-hidden="true">
    <rect width="28" height="28" rx="7" fill="currentColor" fillOpacity="0.16" />
    <path
      d="M14 5v18M14 7 6 20h16z"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinejoin="round"
      strokeLinecap="round"
    />
  </svg>
)
