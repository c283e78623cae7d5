"""Problems with provable labels: each kind is generated here, and labelled by working it out."""
